import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openKept, removeOthers } from '../../../src/cli/refresh/kept-sources.ts';
import { feed, osv } from '../../../src/importers/source-kinds.ts';
import { feedRecord, writeFeed } from '../../support/feeds/advisories.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import { osvRecord } from '../../support/feeds/osv.ts';
import { writeZip } from '../../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../../support/folder.ts';

const KEPT = /^osv-[0-9a-f]{16}\.kept$/;
const options = { strict: false, report: assert.fail };

test('a source of files is kept when it was read to its end, and only then', async (t) => {
  const folder = temporaryFolder(t);
  const location = join(folder, 'all.zip');
  const plan = { kind: osv, location };
  const zipOf = (title: string): void =>
    writeZip(location, [['a.json', JSON.stringify(osvRecord({ summary: title }))]]);
  const place = { folder, version: '1.2.3' };
  zipOf('One');
  const first = await openKept(plan, options, place);
  assert.deepEqual([first.label, first.unit], [location, 'bytes']);
  assert.deepEqual(readdirSync(folder), ['all.zip'], 'nothing is written before it is read');
  const entries = await entriesOf(first);
  const [, name] = readdirSync(folder).toSorted();
  assert.match(name, KEPT);
  const kept = readFileSync(join(folder, name));

  assert.deepEqual(await entriesOf(await openKept(plan, options, place)), entries);
  assert.ok(readFileSync(join(folder, name)).equals(kept));
  zipOf('Two');
  for await (const _ of (await openKept(plan, options, place)).read(() => {})) break;
  assert.ok(readFileSync(join(folder, name)).equals(kept));
  writeFileSync(location, 'PK, and then nothing of an archive');
  await assert.rejects(entriesOf(await openKept(plan, options, place)), { name: 'SourceError' });
  assert.ok(readFileSync(join(folder, name)).equals(kept));
  zipOf('Two');
  await entriesOf(await openKept(plan, options, { ...place, version: '1.2.4' }));
  assert.ok(!readFileSync(join(folder, name)).equals(kept));
  assert.equal(readdirSync(folder).length, 2);
});

test('a feed has nothing to keep, and what was kept of other sources is removed', async (t) => {
  const folder = temporaryFolder(t);
  const plans = ['a.zip', 'b.zip'].map((name) => ({ kind: osv, location: join(folder, name) }));
  for (const plan of plans) {
    writeZip(plan.location, [['a.json', JSON.stringify(osvRecord())]]);
    await entriesOf(await openKept(plan, options, { folder, version: '1.2.3' }));
  }
  const location = join(folder, 'feed.ndjson');
  writeFeed(location, [feedRecord(1)]);
  await entriesOf(await openKept({ kind: feed, location }, options, { folder, version: '1.2.3' }));
  const kept = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.kept'));
  const before = kept();
  assert.deepEqual(
    before.map((name) => KEPT.test(name)),
    [true, true],
  );
  writeFileSync(join(folder, 'mine.kept'), '');
  removeOthers(folder, [plans[1]]);
  assert.equal(kept().length, 2);
  assert.equal(before.filter((name) => kept().includes(name)).length, 1);
});
