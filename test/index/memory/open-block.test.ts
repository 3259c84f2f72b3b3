// The open block: read once for neighbouring rows, and again after another block, a failure or a close.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenBlock } from '../../../src/index/memory/open-block.ts';

test('a block is read once while its rows are asked for, and again after another one or a close', () => {
  const open = new OpenBlock<readonly string[]>();
  const reads: number[] = [];
  const read = (number: number): readonly string[] => {
    reads.push(number);
    return [`row of ${number}`];
  };
  for (const number of [0, 0, 3, 3, 0]) assert.deepEqual(open.rows(number, read), [`row of ${number}`]);
  assert.deepEqual(reads, [0, 3, 0]);
  open.close();
  open.rows(0, read);
  assert.deepEqual(reads, [0, 3, 0, 0]);
});

test('a block that cannot be read is not open: neither it nor its rows take the place of the previous one', () => {
  const open = new OpenBlock<readonly string[]>();
  open.rows(1, () => ['sound']);
  const fail = (): never => {
    throw new Error('unreadable');
  };
  assert.throws(() => open.rows(2, fail), { message: 'unreadable' });
  assert.throws(() => open.rows(2, fail), { message: 'unreadable' });
  assert.deepEqual(open.rows(1, fail), ['sound']);
});
