// What an engine or the way to it can say, and what is made of it. engine.test.ts has real engines say it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_ERROR_CODES, EngineError } from '../../../src/fleet/leases/engine-error.ts';

const SAID: readonly (readonly [string, string])[] = [
  ['WRONGPASS invalid username-password pair or user is disabled.', 'wrong_password'],
  ['NOAUTH Authentication required.', 'wrong_password'],
  ["NOPERM User weak has no permissions to run the 'evalsha' command", 'no_permission'],
  ['READONLY You can not write against a read only replica. script: 1, on @user_script:1.', 'read_only'],
  ['OOM command not allowed when used memory > "maxmemory". script: 1', 'full'],
  ['MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist', 'not_writing'],
  ['LOADING Redis is loading the dataset in memory', 'loading'],
  ['BUSY Redis is busy running a script.', 'busy'],
  ['MOVED 1234 127.0.0.1:7001', 'clustered'],
  ['ERR DB index is out of range', 'wrong_database'],
  ['self-signed certificate', 'tls'],
  ['Command timed out', 'timed_out'],
  ['getaddrinfo ENOTFOUND nobody.invalid', 'unknown_host'],
  ['connect ECONNREFUSED 127.0.0.1:6379', 'unreachable'],
  ["ERR unknown command 'EVALSHA'", 'too_old'],
  ['ERR something new', 'failed'],
];

test('each way to fail has a code, and says what to do', () => {
  for (const [said, code] of SAID) {
    const error = EngineError.of(new Error(said), 'valkey://cache:6379/0');
    assert.equal(error.code, code, said);
    assert.match(error.message, /^valkey:\/\/cache:6379\/0: /);
  }
  const named = new Set([...SAID.map(([, code]) => code), 'bad_reply', 'state_lost']);
  assert.deepEqual([...named].sort(), [...ENGINE_ERROR_CODES].sort());
});

test('of a long answer only the beginning is kept', () => {
  const error = EngineError.of(new Error(`ERR ${'x'.repeat(1_000)}\nmore`), 'here');
  assert.ok(error.message.length < 150);
});

test('what an engine says of credentials is not repeated', () => {
  const said = new Error("ERR unknown command 'AUTH', with args beginning with: 'app' 'hunter2'");
  assert.equal(EngineError.ofCredentials(new Error('ERR no app hunter2'), 'here').code, 'wrong_password');
  for (const error of [
    EngineError.ofCredentials(said, 'here'),
    EngineError.ofCredentials(new Error('ERR no app hunter2'), 'here'),
    EngineError.of(new Error('WRONGPASS not hunter2 for app'), 'here'),
  ]) {
    assert.doesNotMatch(error.message, /hunter2|app/);
  }
});

test('of any other error the configured user and password are replaced before it is cut', () => {
  const said = `ERR ${'x'.repeat(110)} hunter2-of-app`;
  const { message } = EngineError.of(new Error(said), 'here', ['app', 'hunter2-of-app', '']);
  assert.match(message, /x \[secr/);
  const short = EngineError.of(new Error('NOPERM User app has no permissions'), 'here', ['app']);
  assert.match(short.message, /\(NOPERM User \[secret\] has/);
});
