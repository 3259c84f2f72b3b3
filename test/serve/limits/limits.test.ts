// The supervisor's side of the thread of the leases.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import { type EngineAddress, parseEngineAddress } from '../../../src/fleet/leases/engine-address.ts';
import { RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { Limits } from '../../../src/serve/limits/limits.ts';
import type { LimitsData } from '../../../src/serve/messages.ts';
import { FakeThread } from '../../support/serving/fake-thread.ts';

function open() {
  const threads: FakeThread<LimitsData>[] = [];
  const address = parseEngineAddress('valkey://app:hidden@cache:6379/1') as EngineAddress;
  const keys = buildKeyTable({ tiers: {}, keys: [] });
  const limits = new Limits(
    { address, password: undefined },
    new RateLimiterTable(4).memory,
    keys,
    (data) => {
      const thread = new FakeThread(data);
      threads.push(thread);
      return thread;
    },
  );
  return { limits, threads, keys };
}

test('a thread that dies is replaced after a second, with the same leases and the same name', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { limits, threads } = open();
  const failures: Error[] = [];
  limits.start({ onMessage() {}, onFailure: (error) => failures.push(error) });
  threads[0]?.emit('error', new Error('died'));
  threads[0]?.emit('exit', 1);
  assert.deepEqual([failures.length, threads.length], [1, 1]);
  t.mock.timers.tick(1_000);
  assert.equal(threads.length, 2);
  assert.equal(threads[1]?.data.replica, threads[0]?.data.replica);
  assert.equal(threads[1]?.data.leases, threads[0]?.data.leases);
});

test('one that dies again is replaced after eight seconds at most, until it has leased from the fleet', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { limits, threads } = open();
  const pauses: number[] = [];
  limits.start({ onMessage() {}, onFailure: (_, backOffMs) => pauses.push(backOffMs) });
  for (let deaths = 0; deaths < 5; deaths++) {
    threads.at(-1)?.emit('exit', 1);
    t.mock.timers.tick(8_000);
  }
  threads[5]?.emit('message', { kind: 'state', state: { mode: 'fleet' } });
  threads[5]?.emit('exit', 1);
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 8_000, 1_000]);
});

test('it passes changed keys on, also to the next thread', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { limits, threads } = open();
  limits.start({ onMessage() {}, onFailure() {} });
  const next = buildKeyTable({ tiers: {}, keys: [] });
  limits.setKeys(next);
  assert.deepEqual(threads[0]?.asked, [{ kind: 'keys', keys: next }]);
  threads[0]?.emit('exit', 1);
  t.mock.timers.tick(1_000);
  assert.equal(threads[1]?.data.keys, next);
});

test('it stops when the thread has ended, and starts none after that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { limits, threads } = open();
  limits.start({ onMessage() {}, onFailure() {} });
  const stopped = limits.stop();
  assert.deepEqual(threads[0]?.asked, [{ kind: 'stop' }]);
  threads[0]?.emit('exit', 0);
  await stopped;
  t.mock.timers.tick(5_000);
  assert.equal(threads.length, 1);
  await open().limits.stop(); // never started
});

test('what it shows has neither user nor password', () => {
  const { state } = open().limits;
  assert.equal(state.engine, 'valkey://cache:6379/1');
  assert.doesNotMatch(JSON.stringify(state), /hidden|app/);
});
