import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highest, lastPlace, latest, stacked } from '../../../src/console/parts/columns.ts';

test('each column of a stack is the sum of itself and those before it', () => {
  assert.deepEqual(
    stacked([
      [1, 2],
      [10, 20],
      [100, 200],
    ]),
    [
      [1, 2],
      [11, 22],
      [111, 222],
    ],
  );
  assert.deepEqual(stacked([]), []);
  assert.deepEqual(stacked([[], []]), [[], []]);
});

test('in a stack, a place without a number counts as nothing, unless no column has one', () => {
  assert.deepEqual(
    stacked([
      [null, 2, null, null],
      [10, null, null, null],
      [null, 200, null, 5],
    ]),
    [
      [0, 2, null, 0],
      [10, 2, null, 0],
      [10, 202, null, 5],
    ],
  );
});

test('the latest and the highest number of a column pass over gaps', () => {
  assert.equal(latest([1, 5, 3, null]), 3);
  assert.equal(latest([0, null]), 0);
  assert.equal(highest([1, 5, null, 3]), 5);
  assert.equal(highest([null, -2, -1]), -1);
  for (const column of [[], [null, null]]) {
    assert.equal(latest(column), null);
    assert.equal(highest(column), null);
  }
});

test('the last place of several columns is that of the longest', () => {
  assert.equal(
    lastPlace([
      [1, null, null],
      [null, 0, null],
    ]),
    1,
  );
  assert.equal(lastPlace([[null], []]), -1);
  assert.equal(lastPlace([]), -1);
});
