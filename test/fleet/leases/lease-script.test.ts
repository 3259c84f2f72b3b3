// What is read from an answer of the script. engine.test.ts has a real engine say it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReply } from '../../../src/fleet/leases/lease-script.ts';

const KEY = {
  id: 'k',
  rate: { emissionIntervalMs: 1_000, burst: 10 },
  owed: 2,
  wanted: 3,
  returned: 0,
  seenMs: 0,
};
const FULL = 10 * 1_000 * 1_024;
const SAID = [1_700_000_000_000, 2, 0, 'epoch0', 5, FULL, 0];

test('an answer is read in the order of the keys', () => {
  assert.deepEqual(readReply(SAID, [KEY]), {
    keys: [{ granted: 5, levelMs: 10_000, isLost: false }],
    nowMs: 1_700_000_000_000,
    replicas: 2,
    isHolding: false,
    epoch: 'epoch0',
  });
});

test('numbers that the script cannot have said, and what is not a number, are refused', () => {
  for (const [at, values] of [
    [0, [0, -1, '1', null, 2 ** 60]],
    [1, [0, -1, 2 ** 31, 'two']],
    [2, [2, -1, '0']],
    [3, ['', 7, null, 'x'.repeat(100)]],
    [4, [6, 2 ** 40, -1, 0.5, '5', null, [5]]],
    [5, [-1, FULL + 1, 'full']],
    [6, [2, null]],
  ] as const) {
    for (const value of values) {
      assert.throws(() => readReply(SAID.with(at, value as number), [KEY]), { name: 'BadReplyError' });
    }
  }
  for (const said of ['OK', null, [], SAID.slice(1), [...SAID, 0]]) {
    assert.throws(() => readReply(said, [KEY]), { name: 'BadReplyError' });
  }
});
