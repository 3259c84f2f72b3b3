// The simulation of a large fleet: that its parts are right where the answer is known, and that the page
// shows what it prints.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PLAN, refresh, report, sharedLine } from '../scripts/fleet-simulation.ts';

test('docs/scale.md shows what the script prints', () => {
  const page = readFileSync(new URL('../docs/scale.md', import.meta.url), 'utf8');
  for (const table of report().split('\n\n')) assert.ok(page.includes(`\n\n${table}\n\n`), table);
});

test('the same seed gives the same figures, another one others', () => {
  const small = { ...PLAN, replicas: 20 };
  assert.deepEqual(refresh(small, 1), refresh(small, 1));
  assert.notDeepEqual(refresh(small, 1), refresh({ ...small, seed: PLAN.seed + 1 }, 1));
});

test('a line is shared in equal parts, and none gets more than it can take', () => {
  assert.deepEqual(sharedLine([], 100, 100, 100), []);
  assert.deepEqual(sharedLine([0, 10_000], 100, 100, 50), [2_000, 12_000], 'each alone');
  assert.deepEqual(sharedLine([0, 0, 0, 0], 100, 100, 100), [4_000, 4_000, 4_000, 4_000]);
  // Alone for half a second, then half each: 50 + 50 until 1.5 s; the second has 50 left, and the line.
  assert.deepEqual(sharedLine([0, 500], 100, 100, 100), [1_500, 2_000]);
});

test('without failures everyone hears within the interval, and has the snapshot when the line has carried all', () => {
  const plan = { ...PLAN, replicas: 30, failureRate: 0 };
  const { seen, loaded } = refresh(plan, 1);
  assert.equal(seen.length, 30);
  assert.ok(seen[0] >= plan.manifestMs && seen[29] <= plan.intervalMs + plan.manifestMs);
  const alone = (1_000 * plan.snapshotBytes) / plan.replicaBytesPerS + plan.loadMs;
  assert.ok(loaded[0] >= seen[0] + alone);
  const carried = (1_000 * 30 * plan.snapshotBytes) / plan.storeBytesPerS + plan.loadMs;
  assert.ok(loaded[29] >= carried && loaded[29] <= seen[29] + carried + alone);
});
