import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdBytes } from '../../../src/http/transport/held-bytes.ts';

test('the held bytes are a copy of the rest, small or large', () => {
  for (const length of [0, 1, 1000, 262_143, 262_144, 300_001, 9_000_000]) {
    const bytes = Uint8Array.from({ length: length + 7 }, (_, i) => i % 251);
    const expected = Buffer.from(bytes.subarray(7)).toString('latin1');
    const held = holdBytes(bytes, 7);
    bytes.fill(0);
    assert.equal(held.length, length);
    assert.ok(Buffer.from(held).toString('latin1') === expected, `${length}`);
  }
});
