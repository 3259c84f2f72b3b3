// Numbers of any length in a key: their bytes order them, and can be read again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areZero, NUMBER_SPAN, readDigits, writeDigits } from '../../../src/index/versions/digits.ts';

const LEAD = 15;

function bytesOf(digits: string): Uint8Array {
  const out = new Uint8Array(300);
  return out.slice(0, writeDigits(`x${digits}y`, 1, 1 + digits.length, LEAD, out, 0));
}

const digits = fc.oneof(
  fc.stringMatching(/^[0-9]{1,4}$/),
  fc.stringMatching(/^[0-9]{15,22}$/),
  fc.stringMatching(/^[0-9]{1,256}$/),
);

test('numbers of up to 256 digits are ordered by value, and equal ones have equal bytes', () => {
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const [x, y] = [BigInt(a), BigInt(b)];
      assert.equal(Buffer.compare(bytesOf(a), bytesOf(b)), x < y ? -1 : x > y ? 1 : 0, `${a} and ${b}`);
    }),
  );
});

test('a number is read as it was written, without leading zeros', () => {
  fc.assert(
    fc.property(digits, (text) => {
      const bytes = bytesOf(text);
      assert.deepEqual(readDigits(bytes, 0, LEAD), [String(BigInt(text)), bytes.length]);
      assert.ok(bytes[0] >= LEAD && bytes[0] < LEAD + NUMBER_SPAN);
      assert.ok(bytes.length <= text.length + 1);
      assert.equal(areZero(text, 0, text.length), BigInt(text) === 0n);
    }),
  );
});

test('the first byte changes where the count of digits does', () => {
  assert.deepEqual([...bytesOf('0')], [LEAD]);
  assert.deepEqual([...bytesOf('99')], [LEAD + 99]);
  assert.deepEqual([...bytesOf('100')], [LEAD + 100, 1, 0]);
  assert.deepEqual([...bytesOf('9'.repeat(18))].slice(0, 2), [LEAD + 115, 99]);
  assert.deepEqual([...bytesOf('9'.repeat(19))].slice(0, 3), [LEAD + 116, 18, 9]);
  assert.deepEqual([...bytesOf('9'.repeat(256))].slice(0, 3), [LEAD + 116, 255, 99]);
});
