// The two binary searches, compared with a linear scan of the same array.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowerBound, partitionPoint } from '../../../src/index/lookup/search.ts';

const ascending = fc
  .array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 })
  .map((values) => Uint32Array.from(values).sort());

test('lowerBound is the first index whose key is not below, in the whole array and in any range', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: -1, max: 13 }), fc.nat(20), fc.nat(20), (keys, key, a, b) => {
      const first = Math.min(a, b, keys.length);
      const last = Math.min(Math.max(a, b), keys.length);
      let expected = first;
      while (expected < last && keys[expected] < key) expected++;
      assert.equal(lowerBound(keys, key, first, last), expected);
      assert.equal(lowerBound(keys, key), keys.filter((each) => each < key).length);
    }),
  );
});

test('partitionPoint is the first index that is reached, or the end if none is', () => {
  for (let length = 0; length <= 9; length++) {
    for (let point = 0; point <= length; point++) {
      assert.equal(
        partitionPoint(3, 3 + length, (i) => i >= 3 + point),
        3 + point,
        `${length}, ${point}`,
      );
    }
  }
});

test('partitionPoint calls only inside its range', () => {
  partitionPoint(5, 9, (i) => {
    assert.ok(i >= 5 && i < 9, `called with ${i}`);
    return false;
  });
  assert.equal(
    partitionPoint(4, 4, () => assert.fail('called for an empty range')),
    4,
  );
});
