// The open block: read once for neighbouring rows, and again after another block, a failure or a close.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenBlock } from '../../../src/index/memory/open-block.ts';

const ROWS = 4;

test('a block is read once while its rows are asked for, and again after another one or a close', () => {
  const open = new OpenBlock<string>();
  const reads: number[] = [];
  const read = (number: number): readonly string[] => {
    reads.push(number);
    return Array.from({ length: ROWS }, (_, i) => `row ${number * ROWS + i}`);
  };
  for (const row of [0, 3, 12, 15, 1]) assert.equal(open.row(row, ROWS, read), `row ${row}`);
  assert.deepEqual(reads, [0, 3, 0]);
  open.close();
  open.row(0, ROWS, read);
  assert.deepEqual(reads, [0, 3, 0, 0]);
});

test('a row beyond those of its block is an error', () => {
  const open = new OpenBlock<string>();
  assert.throws(() => open.row(5, ROWS, () => ['only']), { name: 'RangeError' });
});

test('a block that cannot be read is not open: neither it nor its rows take the place of the previous one', () => {
  const open = new OpenBlock<string>();
  open.row(ROWS, ROWS, () => ['sound']);
  const fail = (): never => {
    throw new Error('unreadable');
  };
  assert.throws(() => open.row(2 * ROWS, ROWS, fail), { message: 'unreadable' });
  assert.throws(() => open.row(2 * ROWS, ROWS, fail), { message: 'unreadable' });
  assert.equal(open.row(ROWS, ROWS, fail), 'sound');
});
