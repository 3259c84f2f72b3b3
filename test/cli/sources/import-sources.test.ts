import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import { compileSources } from '../../../src/cli/sources/compile-sources.ts';
import { type ImportPlan, importSources } from '../../../src/cli/sources/import-sources.ts';
import type { OpenSource } from '../../../src/cli/sources/sources.ts';
import type { Draft } from '../../../src/importers/source.ts';
import { feed, osv, wordfence } from '../../../src/importers/source-kinds.ts';
import { feedRecord, writeFeed } from '../../support/feeds/advisories.ts';
import { type DraftChanges, draftOf, sourceOf } from '../../support/feeds/drafts.ts';
import { preferenceInOrder } from '../../support/feeds/preference.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { killWhen, runProgram } from '../../support/process/program.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 10);

/** Records of every kind: merged ones with fields from two sources, twins, a withdrawn one, a plugin. */
const OSV: readonly Draft[] = [
  ...Array.from({ length: 150 }, (_, i) =>
    draftOf(`GHSA-${i}`, { cves: [`CVE-2026-${i}`], product: { slug: `package-${i % 40}` } }),
  ),
  draftOf('MAL-1', {
    aliases: ['GHSA-3'],
    withdrawn_at: '2026-01-05T00:00:00Z',
    product: { slug: 'package-3' },
  }),
  draftOf('GHSA-p', { cves: ['CVE-2026-500'], ...plugin() }),
];
const WORDFENCE: readonly Draft[] = [
  draftOf('wf-1', { cves: ['CVE-2026-500'], severity: 'high', sources: [{ name: 'Defiant' }], ...plugin() }),
  draftOf('wf-2', plugin()),
];

function plugin(): DraftChanges {
  return { product: { type: 'plugin', slug: 'gallery', name: 'Gallery' } };
}

const SOURCES = [
  { kind: osv, location: 'a' },
  { kind: wordfence, location: 'b' },
] as const;

function workplace(t: FolderOwner, more: readonly Draft[] = []) {
  const folder = temporaryFolder(t);
  const open: OpenSource = async ({ kind }) =>
    sourceOf(kind.name, kind === osv ? [...OSV, ...more] : WORDFENCE);
  const common = {
    sources: SOURCES,
    preference: preferenceInOrder(2),
    strict: false,
    builtAtMs: BUILT_AT_MS,
  };
  const printed: string[] = [];
  const report = (line: string): void => void printed.push(line);
  return {
    folder,
    printed,
    written: () => readdirSync(folder).sort(),
    importTo: (out: string, changes: Partial<ImportPlan> = {}) =>
      importSources({ ...common, out, ...changes }, report, open),
    compileTo: (out: string) =>
      compileSources({ ...common, out, guards: {}, skipInvalid: false }, report, open),
  };
}

test('a feed of several sources compiles to the same snapshot as the sources themselves', async (t) => {
  const { folder, importTo, compileTo } = workplace(t);
  const feed = join(folder, 'feed.ndjson');
  const { summary } = await importTo(feed);
  assert.deepEqual([...summary.mergedPairs.keys()], ['osv + osv', 'osv + wordfence']);
  const direct = join(folder, 'direct.vdx');
  await compileTo(direct);
  const out = join(folder, 'imported.vdx');
  const plan = { feeds: [feed], out, skipInvalid: false, strict: true, builtAtMs: BUILT_AT_MS };
  const result = await compileFeeds(plan, assert.fail);
  assert.equal(result.advisories, summary.advisories);
  assert.ok(readFileSync(out).equals(readFileSync(direct)));
});

test('a feed of several sources is gzipped if its name says so, with the same text', async (t) => {
  const { folder, importTo, written } = workplace(t);
  await importTo(join(folder, 'feed.ndjson'));
  const { totalBytes } = await importTo(join(folder, 'feed.ndjson.gz'));
  const zipped = readFileSync(join(folder, 'feed.ndjson.gz'));
  assert.equal(zipped.length, totalBytes);
  assert.deepEqual(gunzipSync(zipped), readFileSync(join(folder, 'feed.ndjson')));
  assert.deepEqual(written(), ['feed.ndjson', 'feed.ndjson.gz', 'vulndex-ids.tsv']);
});

test('a feed of several sources can be imported again, and stays the same', async (t) => {
  const { folder, importTo } = workplace(t);
  const [first, second] = [join(folder, 'first.ndjson'), join(folder, 'second.ndjson')];
  await importTo(first);
  const plan = { sources: [{ kind: feed, location: first }], preference: preferenceInOrder(1) } as const;
  const ids = { idsPath: join(folder, 'other-ids') };
  await importSources({ ...plan, ...ids, out: second, strict: true, builtAtMs: BUILT_AT_MS }, assert.fail);
  assert.equal(readFileSync(second, 'utf8'), readFileSync(first, 'utf8'));
});

test('nothing is written and no id registered if too many entries are rejected; these are kept', async (t) => {
  const { folder, importTo, written } = workplace(
    t,
    Array.from({ length: 5 }, (_, i) => draftOf(`BAD-${i}`, { url: 'nowhere' })),
  );
  const out = join(folder, 'feed.ndjson');
  await assert.rejects(importTo(out), {
    name: 'CommandError',
    message: /^osv: 5 entries of 157 read were rejected \(3\.2 %\)/,
  });
  assert.deepEqual(written(), ['feed.ndjson.stopped.rejects.ndjson']);
  const { rejectsPath } = await importTo(out, { maxRejectPercent: 4 });
  assert.equal(rejectsPath, `${out}.rejects.ndjson`);
  assert.deepEqual(written(), ['feed.ndjson', 'feed.ndjson.rejects.ndjson', 'vulndex-ids.tsv']);
});

test('nothing is written if the target is a folder or has no name, or its registry cannot be found', async (t) => {
  const { folder, importTo, written } = workplace(t);
  mkdirSync(join(folder, 'out'));
  await assert.rejects(importTo(join(folder, 'out')), {
    message: /out: not a regular file; choose another --out$/,
  });
  await assert.rejects(importTo(''), { name: 'UsageError', message: /--out is empty/ });
  await assert.rejects(importTo('-'), { name: 'UsageError', message: /name its file with --ids/ });
  assert.deepEqual(written(), ['out']);
});

test('as a program, import writes to standard output, and its summary to standard error', async (t) => {
  const folder = temporaryFolder(t);
  const feed = join(folder, 'feed.ndjson');
  writeFeed(feed, [feedRecord(1), feedRecord(2)]);
  const ids = join(folder, 'ids');
  const words = ['import', '--feed', feed, '--ids', ids];
  const ran = await runProgram([...words, '--out', '-']);
  assert.equal(ran.stdout.toString(), readFileSync(feed, 'utf8'));
  assert.match(ran.stderr, /^feed \(.*\): 2 read = 2 accepted, 0 merged, 0 skipped, 0 rejected\n/);
  assert.match(ran.stderr, /\nimported 2 advisories into - \(/);
  assert.equal(ran.status, 0);
  const file = await runProgram([...words, '--out', join(folder, 'out.ndjson'), '--json']);
  assert.equal(JSON.parse(file.stdout.toString()).advisories, 2);
  writeFileSync(feed, '{}\n');
  const bad = await runProgram([...words, '--out', '-']);
  assert.equal(bad.status, 1);
  assert.equal(bad.stdout.length, 0);
  assert.match(bad.stderr, /vulndex: 1 entry was rejected, .*--out a file/);
});

test('a signal in the middle of an import leaves neither a feed nor a lock', async (t) => {
  const folder = temporaryFolder(t);
  const out = join(folder, 'feed.ndjson');
  const ran = await runProgram(['import', '--feed', '-', '--out', out], {
    keepsInputOpen: true,
    started: (child) =>
      void killWhen(child, 'SIGTERM', () =>
        readdirSync(folder).some((name) => name.startsWith('.importing-')),
      ),
  });
  assert.equal(ran.signal, 'SIGTERM', ran.stderr);
  assert.deepEqual(readdirSync(folder), []);
});
