// The last 24 hours: which ends are inside, in what order, and which requests share a computed window.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { LatestWindows } from '../../../src/index/lookup/latest-window.ts';
import type { Platform } from '../../../src/index/product-type.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const ANCHOR = Date.UTC(2026, 0, 10, 12) / 1000;
const DAY = 86_400;
const npm = coreProduct('npm', 'gallery');

function latestIds(generation: Generation, platform: Platform, anchorMs: number): number[] {
  const { ordinals } = generation.latest(platform, anchorMs, new LatestWindows());
  return Array.from(ordinals, (ordinal) => generation.idAt(ordinal));
}

/** Advisories by the seconds between their creation and the anchor; ids in the order given, from 1. */
function generationAged(
  t: TestContext,
  ages: readonly number[],
  changes: Partial<Advisory> = {},
): Generation {
  return generationOf(
    t,
    ages.map((age, i) => coreAdvisory(i + 1, { createdAt: ANCHOR - age, ...changes })),
  );
}

test('both ends of the 24 hours are inside, and later advisories are not', (t) => {
  const generation = generationAged(t, [-1, 0, 1, DAY - 1, DAY, DAY + 1]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000), [5, 4, 3, 2]);
});

test('the clock counts in milliseconds: the oldest second leaves the window one millisecond later', (t) => {
  const generation = generationAged(t, [0, DAY]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000), [2, 1]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000 + 1), [1]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000 - 1), [2]);
});

test('the order is by descending id, not by creation', (t) => {
  const generation = generationAged(t, [50, 10, 900, 0, 30]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000), [5, 4, 3, 2, 1]);
});

test('each platform has its own window, and withdrawn advisories are in none', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { createdAt: ANCHOR }),
    coreAdvisory(2, { createdAt: ANCHOR, product: npm }),
    coreAdvisory(3, { createdAt: ANCHOR, withdrawnAt: ANCHOR }),
    coreAdvisory(4, { createdAt: ANCHOR - 1, product: npm }),
  ]);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000), [1]);
  assert.deepEqual(latestIds(generation, 'npm', ANCHOR * 1000), [4, 2]);
  assert.deepEqual(latestIds(generation, 'npm', (ANCHOR + 3 * DAY) * 1000), []);
});

test('a window is computed once for each of its states', (t) => {
  const generation = generationAged(t, [0, 100, DAY - 100]);
  const windows = new LatestWindows();
  const window = generation.latest('wordpress', ANCHOR * 1000, windows);
  assert.equal(generation.latest('wordpress', (ANCHOR + 100) * 1000, windows), window);
  const later = generation.latest('wordpress', (ANCHOR + 101) * 1000, windows);
  assert.notDeepEqual(later.state, window.state);
  assert.deepEqual(latestIds(generation, 'wordpress', ANCHOR * 1000), [3, 2, 1]);
});

test('the newest creation time is that of a published advisory of either platform', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { createdAt: ANCHOR - 5 }),
    coreAdvisory(2, { createdAt: ANCHOR - 3, product: npm }),
    coreAdvisory(3, { createdAt: ANCHOR, withdrawnAt: ANCHOR }),
  ]);
  assert.equal(generation.newestCreatedMs(), (ANCHOR - 3) * 1000);
});

test('without a published advisory there is no newest creation time and the window is empty', (t) => {
  const generation = generationAged(t, [0], { withdrawnAt: ANCHOR });
  assert.equal(generation.newestCreatedMs(), Number.NEGATIVE_INFINITY);
  assert.deepEqual(latestIds(generation, 'wordpress', generation.newestCreatedMs()), []);
});
