import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FeedOptions, openFeed } from '../../../src/importers/feed/open-feed.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';

async function entriesIn(t: FolderOwner, lines: readonly unknown[], options: FeedOptions = {}) {
  const path = join(temporaryFolder(t), 'feed.ndjson');
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  let bytes = 0;
  const reader = openFeed(path, options);
  const entries = await entriesOf(reader, (count) => (bytes += count));
  assert.equal(bytes, reader.total);
  return { path, entries };
}

test('a line is a draft with the record as it is, known by its id', async (t) => {
  const record = feedRecord(5, { source_id: 'X-1' });
  const { path, entries } = await entriesIn(t, [record]);
  const draft = { place: { file: path, line: 1 }, sourceId: '5', record };
  assert.deepEqual(entries, [{ kind: 'draft', draft, warnings: [] }]);
});

test('a line that is not JSON, or lacks the numbers of a feed record, is a reject with its bytes', async (t) => {
  const lines = ['{', { ...feedRecord(1), id: undefined }, { ...feedRecord(2), product: { type: 'npm' } }];
  const { entries } = await entriesIn(t, lines);
  const rejects = entries.map((entry) =>
    entry.kind === 'reject' ? entry.reject : assert.fail('not a reject'),
  );
  assert.deepEqual(
    rejects.map(({ place, problems }) => [place.line, problems.map(({ field }) => field)]),
    [
      [1, ['line']],
      [2, ['id']],
      [3, ['product.id']],
    ],
  );
  assert.equal(Buffer.from(rejects[0].bytes).toString(), '{');
});

test('an unknown member is a warning, or with strict a problem', async (t) => {
  const odd = feedRecord(1, { cve: 'CVE-2026-1' });
  const text = 'cve: is not a member of the feed format; did you mean cves?';
  const [loose] = (await entriesIn(t, [odd])).entries;
  assert.deepEqual(loose.kind === 'draft' && loose.warnings, [`${text}, and was ignored`]);
  const [strict] = (await entriesIn(t, [odd], { strict: true })).entries;
  assert.ok(strict.kind === 'reject');
  assert.equal(`${strict.reject.problems[0].field}: ${strict.reject.problems[0].message}`, text);
});

test('a file that is missing or empty is refused', async (t) => {
  assert.throws(() => openFeed(join(temporaryFolder(t), 'none')), {
    name: 'FeedFileError',
    code: 'unreadable',
  });
  await assert.rejects(entriesIn(t, []), { name: 'FeedFileError', code: 'no-advisory' });
});
