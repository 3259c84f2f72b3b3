// The URL of `--limits`: what it may say, and that no refusal repeats its password.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEngineAddress } from '../../../src/fleet/leases/engine-address.ts';

test('a URL names host, port, user, password, database and whether there is TLS', () => {
  assert.deepEqual(parseEngineAddress('valkeys://app:p%40ss@cache.example:6400/3'), {
    host: 'cache.example',
    port: 6400,
    user: 'app',
    password: 'p@ss',
    database: 3,
    isTls: true,
    shown: 'valkeys://cache.example:6400/3',
  });
  assert.deepEqual(parseEngineAddress('redis://[::1]'), {
    host: '::1',
    port: 6379,
    user: undefined,
    password: undefined,
    database: 0,
    isTls: false,
    shown: 'redis://[::1]:6379/0',
  });
});

test('what is not such a URL is refused without repeating it', () => {
  for (const [text, problem] of [
    ['cache.example', /is not a URL/],
    ['http://:hidden@cache.example', /another scheme/],
    ['hidden:6379', /another scheme/],
    ['valkey://', /host|not a URL/],
    ['valkey://:hidden@cache.example/x', /not the number of a database/],
    ['valkey://:hidden@cache.example/70000', /not the number of a database/],
    ['valkey://:hidden@cache.example/1?timeout=3', /a query/],
    ['valkey://:hidden%@cache.example', /%25/],
  ] as const) {
    const refused = parseEngineAddress(text);
    assert.ok('problem' in refused, text);
    assert.match(refused.problem, problem);
    assert.doesNotMatch(refused.problem, /hidden/);
  }
});
