import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPackr } from '../../src/compiler/blocks.ts';
import { rowsOf } from '../../src/compiler/section-rows.ts';
import { PackedError } from '../../src/index/memory/packed-cursor.ts';

const ROWS = [
  ['', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(300), 'x'.repeat(70_000), 'ünï\u{1f600}'],
  [null, true, false, 0, 127, 128, 255, 256, 65_536, 2 ** 40, -1, -32, -33, -200, -40_000, -(2 ** 40), 0.5],
  [[], [[]], Array.from({ length: 15 }, () => 'a'), Array.from({ length: 16 }, () => ['b'])],
  'a row that is a text',
  Array.from({ length: 70_000 }, (_, i) => i),
];

test('a block is cut into the bytes of its rows, whatever they contain', () => {
  for (const count of [0, 1, ROWS.length, 40]) {
    const rows = Array.from({ length: count }, (_, i) => ROWS[i % ROWS.length]);
    assert.deepEqual(
      rowsOf(plainPackr.pack(rows)).map((row) => Buffer.from(row)),
      rows.map((row) => Buffer.from(plainPackr.pack(row))),
    );
  }
});

test('bytes that are not one array of plain values are refused', () => {
  const block = Buffer.from(plainPackr.pack([['a', 1]]));
  assert.throws(() => rowsOf(block.subarray(0, -1)), PackedError);
  assert.throws(() => rowsOf(Buffer.concat([block, block])), /bytes after the rows/);
  assert.throws(() => rowsOf(plainPackr.pack('text')), /instead of an array/);
  assert.throws(() => rowsOf(Buffer.from([0x91, 0xc1])), /type byte 0xc1/);
  assert.throws(() => rowsOf(Buffer.from([0x91, 0xdb, 0xff, 0xff, 0xff, 0xff])), PackedError);
});
