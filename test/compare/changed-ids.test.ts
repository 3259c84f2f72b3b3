import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findChangedIds } from '../../src/compare/changed-ids.ts';
import { PLATFORMS, type Platform } from '../../src/index/product-type.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let compiled = 0;

/** The ids by platform, of those that have any. */
async function changed(
  previous: readonly FeedJson[],
  next: readonly FeedJson[],
): Promise<Partial<Record<Platform, number[]>>> {
  const load = async (records: readonly FeedJson[]) =>
    loadSnapshot(await compileRecords(folder, records, { name: `${compiled++}.vdx` })).generation;
  const found = findChangedIds(await load(previous), await load(next));
  for (const ids of found) assert.ok(ids.buffer instanceof SharedArrayBuffer);
  assert.equal(found.length, PLATFORMS.length);
  const byPlatform = found.map((ids, run) => [PLATFORMS[run], Array.from(ids)] as const);
  return Object.fromEntries(byPlatform.filter(([, ids]) => ids.length > 0));
}

const WITHDRAWN = { withdrawn_at: '2026-02-03T00:00:00Z' };
const npm = npmProduct('left');

test('ids that differ are listed for their platform, descending', async () => {
  const previous = [
    feedRecord(1),
    feedRecord(2),
    feedRecord(3),
    feedRecord(4, { product: npm, affected: [span(null, '1.0.0')] }),
  ];
  const next = [
    feedRecord(1, { title: 'Other' }),
    feedRecord(2),
    feedRecord(3, WITHDRAWN),
    feedRecord(5, { product: npm, affected: [span(null, '1.0.0')] }),
    feedRecord(6),
  ];
  assert.deepEqual(await changed(previous, next), { wordpress: [6, 3, 1], npm: [5, 4] });
  assert.deepEqual(await changed(previous, previous), {});
});

test('an id that moves to another platform is listed for both', async () => {
  assert.deepEqual(
    await changed([feedRecord(1)], [feedRecord(1, { product: npm, affected: [span(null, '1.0.0')] })]),
    { wordpress: [1], npm: [1] },
  );
});

test('what neither publishes is not listed, whatever differs', async () => {
  const previous = [feedRecord(1), feedRecord(2, WITHDRAWN), feedRecord(3, WITHDRAWN)];
  const next = [feedRecord(1), feedRecord(2, { ...WITHDRAWN, title: 'Other' }), feedRecord(4, WITHDRAWN)];
  assert.deepEqual(await changed(previous, next), {});
});

test('a restored advisory is listed', async () => {
  const previous = [feedRecord(1), feedRecord(2, WITHDRAWN)];
  assert.deepEqual(await changed(previous, [feedRecord(1), feedRecord(2)]), { wordpress: [2] });
});
