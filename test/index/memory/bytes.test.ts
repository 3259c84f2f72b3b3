import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from '../../../src/index/memory/bytes.ts';

test('bytes within an array compare as they would on their own, a prefix first', () => {
  const bytes = fc.uint8Array({ maxLength: 6, max: 3 });
  fc.assert(
    fc.property(bytes, bytes, bytes, bytes, (before, a, after, b) => {
      const pool = Uint8Array.of(...before, ...a, ...after);
      const other = Uint8Array.of(...after, ...b, ...before);
      const aEnd = before.length + a.length;
      const bEnd = after.length + b.length;
      assert.equal(compareBytes(pool, before.length, aEnd, other, after.length, bEnd), Buffer.compare(a, b));
    }),
  );
});

test('bytes are unsigned, and only the sign is returned', () => {
  assert.equal(compareBytes(Uint8Array.of(255), 0, 1, Uint8Array.of(2), 0, 1), 1);
  assert.equal(compareBytes(Uint8Array.of(2), 0, 1, Uint8Array.of(255), 0, 1), -1);
});
