// The order of advisories: by platform, by descending id, withdrawn ones separate.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findId, publishedRun, seekBelow } from '../../../src/index/lookup/id-list.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const GREATEST_ID = Number.MAX_SAFE_INTEGER;
const npm = { product: coreProduct('npm', 'gallery') };
const withdrawn = { withdrawnAt: 1_700_000_000 };

function columnsOf(t: TestContext) {
  return generationOf(t, [
    coreAdvisory(10),
    coreAdvisory(3, npm),
    coreAdvisory(GREATEST_ID - 1, { psid: 'ffffffffffff' }),
    coreAdvisory(7, withdrawn),
    coreAdvisory(20),
    coreAdvisory(15, { ...npm, ...withdrawn }),
    coreAdvisory(30, npm),
  ]).parts.columns;
}

test('a platform lists its published advisories by descending id', (t) => {
  const columns = columnsOf(t);
  const idsOf = (platform: 'wordpress' | 'npm'): number[] => {
    const { start, end } = publishedRun(columns, platform);
    return [...columns.advisoryId.subarray(start, end)];
  };
  assert.deepEqual(idsOf('wordpress'), [GREATEST_ID - 1, 20, 10]);
  assert.deepEqual(idsOf('npm'), [30, 3]);
});

test('a platform without advisories has an empty run', (t) => {
  const { columns } = generationOf(t, [coreAdvisory(1, npm), coreAdvisory(2, withdrawn)]).parts;
  assert.deepEqual(publishedRun(columns, 'wordpress'), { start: 0, end: 0 });
  assert.deepEqual(publishedRun(columns, 'npm'), { start: 0, end: 1 });
});

test('the ids below an id begin after it, whether or not it exists', (t) => {
  const columns = columnsOf(t);
  const run = publishedRun(columns, 'wordpress');
  const firstBelow = (id: number): number | undefined => columns.advisoryId[seekBelow(columns, run, id)];
  assert.equal(seekBelow(columns, run, Number.POSITIVE_INFINITY), run.start);
  assert.equal(firstBelow(GREATEST_ID), GREATEST_ID - 1);
  assert.equal(firstBelow(GREATEST_ID - 1), 20);
  assert.equal(firstBelow(20), 10);
  assert.equal(firstBelow(11), 10);
  assert.equal(seekBelow(columns, run, 10), run.end);
  assert.equal(seekBelow(columns, run, 1), run.end);
});

test('every id is found, including withdrawn ones and one near 2^53, and no other', (t) => {
  const columns = columnsOf(t);
  const known = [10, 3, GREATEST_ID - 1, 7, 20, 15, 30];
  for (const id of known) assert.equal(columns.advisoryId[findId(columns, id)!], id);
  for (const id of [0, 1, 4, 11, 25, 31, GREATEST_ID, GREATEST_ID - 2]) {
    assert.equal(findId(columns, id), undefined, String(id));
  }
});
