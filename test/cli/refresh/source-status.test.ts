import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceStatuses } from '../../../src/cli/refresh/source-status.ts';
import { feed, osv } from '../../../src/importers/source-kinds.ts';
import { pluck } from '../../support/pluck.ts';

const SOURCES = ['https://user:pass@a.example/all.zip?token=secret', '/b.ndjson', '/c.ndjson'].map(
  (location, i) => ({ kind: i === 0 ? osv : feed, location, key: undefined }),
);
const DAY_MS = 86_400_000;

test('a source is new, or unchanged since it was first seen as it is', () => {
  const first = new SourceStatuses(SOURCES, [], DAY_MS);
  for (const fingerprint of ['a', 'b', 'c']) first.add(fingerprint);
  assert.deepEqual(pluck(first.list(), 'status'), ['new', 'new', 'new']);
  const second = new SourceStatuses(SOURCES.toReversed(), first.found, 2 * DAY_MS);
  for (const fingerprint of ['c', 'other', 'a']) second.add(fingerprint);
  assert.deepEqual(second.list(), [
    { name: 'feed', kind: 'feed', location: '/c.ndjson', status: 'unchanged', changedAtMs: DAY_MS },
    { name: 'feed-2', kind: 'feed', location: '/b.ndjson', status: 'new', changedAtMs: 2 * DAY_MS },
    {
      ...{ name: 'osv', kind: 'osv', location: 'https://a.example/all.zip' },
      ...{ status: 'unchanged', changedAtMs: DAY_MS },
    },
  ]);
  assert.doesNotMatch(JSON.stringify(second.found), /secret|pass/);
});

test('a source that failed is told from those that were not reached', () => {
  const statuses = new SourceStatuses(SOURCES, [], DAY_MS);
  statuses.add('a');
  statuses.fail();
  assert.deepEqual(pluck(statuses.list(), 'status'), ['new', 'failed', 'not-reached']);
});
