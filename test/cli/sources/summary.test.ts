import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryJson, summaryLines } from '../../../src/cli/sources/summary.ts';
import { SourceCounts } from '../../../src/importers/assemble/source-counts.ts';

function sample() {
  const osv = new SourceCounts('osv', 'osv', '/data/all.zip');
  Object.assign(osv, { read: 12_360, accepted: 3, warnings: 1 });
  for (let i = 0; i < 12_345; i++) osv.skip('ecosystem PyPI');
  for (let i = 0; i < 12; i++) osv.skip(`ecosystem ${i}`);
  const feed = new SourceCounts('feed', 'feed', 'own.ndjson');
  Object.assign(feed, { read: 3, accepted: 1, merged: 1 });
  feed.reject({
    place: { file: 'x' },
    bytes: new Uint8Array(),
    problems: [{ field: 'title', message: 'bad' }],
  });
  return {
    sources: [osv, feed],
    advisories: 4,
    withdrawn: 2,
    malwareWithdrawn: 1,
    malwareLimited: 3,
    byType: new Map([
      ['plugin', 1],
      ['npm', 3],
    ] as const),
    mergedPairs: new Map([['osv + feed', 1]]),
  };
}

test('the summary says what became of everything that was read, source by source', () => {
  assert.deepEqual(summaryLines(sample()), [
    'osv (/data/all.zip): 12,360 read = 3 accepted, 0 merged, 12,357 skipped, 0 rejected; 1 warning',
    '  skipped for: ecosystem PyPI (12,345), ecosystem 0 (1), ecosystem 1 (1), ecosystem 10 (1), ecosystem 11 (1), ecosystem 2 (1), ecosystem 3 (1), ecosystem 4 (1), others (5)',
    'feed (own.ndjson): 3 read = 1 accepted, 1 merged, 0 skipped, 1 rejected',
    '  rejected for: title (1)',
    'merged into one advisory: osv + feed (1)',
    'advisories by type: npm (3), plugin (1)',
    'withdrawn: 2 advisories; 1 of them with malware reports that rest on nothing else',
    'kept for the versions that they list, though their advisory is withdrawn: 3 malware reports',
  ]);
});

test('for a script it has every reason', () => {
  const json = JSON.parse(JSON.stringify(summaryJson(sample(), { file: 'x.vdx' })));
  assert.equal(json.file, 'x.vdx');
  assert.deepEqual(json.by_type, { plugin: 1, npm: 3 });
  assert.deepEqual(json.merged_pairs, { 'osv + feed': 1 });
  assert.equal(Object.keys(json.sources[0].skipped_by).length, 13);
  assert.deepEqual(json.sources[1], {
    name: 'feed',
    kind: 'feed',
    label: 'own.ndjson',
    ...{ read: 3, accepted: 1, merged: 1, skipped: 0, rejected: 1, warnings: 0 },
    skipped_by: {},
    rejected_by: { title: 1 },
  });
});
