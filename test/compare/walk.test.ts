import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairIds } from '../../src/compare/walk.ts';
import { RUN_COUNT } from '../../src/index/columns.ts';

/** Ids by run, descending within each; the runs that are not given are empty. */
function columns(...runs: readonly (readonly number[])[]) {
  const runCounts = new Uint32Array(RUN_COUNT);
  runCounts.set(runs.map((run) => run.length));
  return { advisoryId: Float64Array.from(runs.flat()), runCounts };
}

test('each id comes once, from the highest down, with its row in each generation', () => {
  const previous = columns([9, 4], [8, 2], [5]);
  const next = columns([9], [10, 8], [4]);
  assert.deepEqual(
    [...pairIds(previous, next)],
    [
      { id: 10, previous: undefined, next: { ordinal: 1, run: 1 } },
      { id: 9, previous: { ordinal: 0, run: 0 }, next: { ordinal: 0, run: 0 } },
      { id: 8, previous: { ordinal: 2, run: 1 }, next: { ordinal: 2, run: 1 } },
      { id: 5, previous: { ordinal: 4, run: 2 }, next: undefined },
      { id: 4, previous: { ordinal: 1, run: 0 }, next: { ordinal: 3, run: 2 } },
      { id: 2, previous: { ordinal: 3, run: 1 }, next: undefined },
    ],
  );
});

test('a generation may be empty', () => {
  const empty = columns([], [], []);
  assert.deepEqual([...pairIds(empty, empty)], []);
  assert.deepEqual(
    [...pairIds(empty, columns([1], [], []))],
    [{ id: 1, previous: undefined, next: { ordinal: 0, run: 0 } }],
  );
});
