import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unpackr } from 'msgpackr/unpack';
import { Block, plainPackr } from '../../src/compiler/blocks.ts';

const unpackr = new Unpackr({ useRecords: false });

function rowsOf(count: number): unknown[] {
  return Array.from({ length: count }, (_, i) => [`row ${i}`, null, i * 1e9, ['x'.repeat(i)]]);
}

test('a block has the bytes of its rows packed as one array, whatever their number', () => {
  const block = new Block();
  for (const count of [1, 2, 15, 16, 127, 128, 300]) {
    const rows = rowsOf(count);
    for (const row of rows) block.add(plainPackr.pack(row));
    assert.equal(block.rowCount, count);
    assert.deepEqual(Buffer.from(block.take()), Buffer.from(plainPackr.pack(rows)), `${count} rows`);
    assert.equal(block.rowCount, 0);
  }
});

test('a row longer than the buffer of a block fits', () => {
  const rows = ['a', 'b'.repeat(300_000), 'c'];
  const block = new Block();
  for (const row of rows) block.add(plainPackr.pack(row));
  assert.deepEqual(unpackr.unpack(block.take()), rows);
});
