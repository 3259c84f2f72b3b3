import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedBytes, sharedBytesOf } from '../../../../src/serve/operations/figures/shared-bytes.ts';

test('each shared memory counts once, however often it is viewed', () => {
  const one = new SharedArrayBuffer(100);
  const other = new SharedArrayBuffer(8);
  const value = { a: [new Uint8Array(one), new Uint8Array(one, 50)], b: { c: other }, d: null, e: 'text' };
  assert.equal(sharedBytesOf(value, new Float64Array(other), new Uint8Array(1_000)), 108);
  assert.equal(sharedBytesOf(), 0);
});

test('the sum is kept as long as the values are the same', () => {
  const bytes = new SharedBytes();
  const list = [new SharedArrayBuffer(4)];
  assert.equal(bytes.of(list), 4);
  list.push(new SharedArrayBuffer(4));
  assert.equal(bytes.of(list), 4);
  assert.equal(bytes.of([...list]), 8);
});
