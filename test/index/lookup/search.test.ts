// The two binary searches against a walk over the same array.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowerBound, partitionPoint } from '../../../src/index/lookup/search.ts';

const ascending = fc
  .array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 })
  .map((values) => Uint32Array.from(values).sort());

test('lowerBound is the first place whose key is not below, in the whole array and in any stretch', () => {
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

test('partitionPoint is the first place that is reached, or the end when none is', () => {
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

test('partitionPoint asks only inside its stretch', () => {
  partitionPoint(5, 9, (i) => {
    assert.ok(i >= 5 && i < 9, `asked for ${i}`);
    return false;
  });
  assert.equal(
    partitionPoint(4, 4, () => assert.fail('asked of an empty stretch')),
    4,
  );
});
