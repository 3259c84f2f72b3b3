import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PackedCursor } from '../../../src/index/memory/packed-cursor.ts';

test('a value may be nested a few levels, and a hundred thousand do not end the stack', () => {
  const step = (levels: number): PackedCursor => {
    const bytes = new Uint8Array(levels + 1).fill(0x91); // arrays of one element
    bytes[levels] = 0xc0;
    const cursor = new PackedCursor(bytes);
    cursor.enter(0, bytes.length);
    cursor.value();
    return cursor;
  };
  assert.equal(step(8).isAtEnd, true);
  assert.throws(() => step(100_000), { name: 'PackedError', message: /^more than 16 levels/ });
});
