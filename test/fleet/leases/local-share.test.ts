// What a replica grants itself while the engine cannot be used.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalShare } from '../../../src/fleet/leases/local-share.ts';

const RATE = { emissionIntervalMs: 1_000, burst: 100 };
const KEY = { id: 'k', rate: RATE, owed: 0, wanted: 0, returned: 0, seenMs: 0 };

test('a key has the n-th part of its burst, then one token in n intervals', () => {
  const share = new LocalShare(4, 0);
  assert.equal(share.lease(0, { ...KEY, wanted: 90 }, 0).granted, 25);
  assert.equal(share.lease(0, { ...KEY, wanted: 90 }, 3_999).granted, 0);
  assert.equal(share.lease(0, { ...KEY, wanted: 90 }, 4_000).granted, 1);
  assert.equal(share.lease(0, { ...KEY, wanted: 90 }, 404_000).granted, 25);
});

test('a key begins with its part of what was seen used', () => {
  const share = new LocalShare(4, 0);
  assert.equal(share.lease(0, { ...KEY, wanted: 90, seenMs: 60_000 }, 0).granted, 10);
});

test('a burst smaller than the fleet is one token for each replica', () => {
  const share = new LocalShare(50, 0);
  const key = { ...KEY, rate: { ...RATE, burst: 2 }, wanted: 9 };
  assert.equal(share.lease(0, key, 0).granted, 1);
  assert.equal(share.lease(0, key, 49_000).granted, 0);
  assert.equal(share.lease(0, key, 50_000).granted, 1);
});

test('its level says to clients how many are left, or when the next one is', () => {
  const share = new LocalShare(4, 0);
  assert.equal(share.lease(0, { ...KEY, wanted: 5 }, 0).levelMs, 80_000); // 20 of 100 left
  assert.equal(share.lease(0, { ...KEY, wanted: 20 }, 0).levelMs, 103_000); // one in 4 s
});

test('what was granted and has not drained is owed, beside the level that was seen', () => {
  const share = new LocalShare(4, 1_000);
  share.lease(7, { ...KEY, wanted: 10, seenMs: 40_000 }, 1_000);
  assert.equal(share.seenMs('k', 11_000), 30_000);
  assert.equal(share.seenMs('other', 11_000), undefined);
  assert.deepEqual([...share.settle(1_000)], [{ slot: 7, owed: 10, levelMs: 40_000 }]);
  // 10 tokens were seen here and 10 are its own; after the former, 5 of the latter have drained.
  assert.deepEqual([...share.settle(61_000)], [{ slot: 7, owed: 5, levelMs: 0 }]);
});

test('the level that is heard in a late answer drains from then', () => {
  const share = new LocalShare(2, 1_000);
  share.lease(7, { ...KEY, wanted: 3 }, 1_000);
  share.hear('k', 50_000, 3_000);
  share.hear('other', 50_000, 3_000);
  assert.equal(share.seenMs('k', 3_000), 50_000);
  assert.equal(share.seenMs('k', 13_000), 40_000);
  assert.equal(share.seenMs('other', 3_000), undefined);
  assert.deepEqual([...share.settle(3_000)], [{ slot: 7, owed: 2, levelMs: 50_000 }]);
});
