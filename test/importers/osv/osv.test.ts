import assert from 'node:assert/strict';
import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openOsv } from '../../../src/importers/osv/osv.ts';
import { formatPlace, type SourceEntry } from '../../../src/importers/source.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import { npmEntry, type OsvJson, osvRecord } from '../../support/feeds/osv.ts';
import { writeZip } from '../../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../../support/folder.ts';

type Files = Readonly<Record<string, string>>;

function writeTree(folder: string, files: Files): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function recordNamed(id: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const record: OsvJson = osvRecord({ id, aliases: [], ...changes });
  return JSON.stringify(record);
}

async function readAll(path: string): Promise<{ entries: SourceEntry[]; passed: number }> {
  let passed = 0;
  const entries = await entriesOf(openOsv(path), (bytes) => (passed += bytes));
  return { entries, passed };
}

function textOf(entry: SourceEntry, root: string): string {
  const place =
    entry.kind === 'draft' ? entry.draft.place : entry.kind === 'reject' ? entry.reject.place : entry.place;
  const what =
    entry.kind === 'draft'
      ? `${entry.draft.sourceId} ${entry.draft.record.product.slug}`
      : entry.kind === 'skipped'
        ? `skipped: ${entry.reason}`
        : `reject: ${entry.reject.problems[0].message.slice(0, 40)}`;
  return `${formatPlace(place).replace(`${root}/`, '')} ${what}`;
}

const TREE: Files = {
  'npm/GHSA-2222-2222-2222.json': recordNamed('GHSA-2222-2222-2222'),
  'npm/GHSA-3333-3333-3333.json': recordNamed('GHSA-3333-3333-3333', {
    affected: [
      npmEntry('a', [{ introduced: '0' }]),
      npmEntry('b', [{ introduced: '0' }]),
      { package: { ecosystem: 'Acme', name: 'c' } },
    ],
  }),
  'npm/broken.json': '{',
  'npm/x/MAL-2025-1.json': recordNamed('MAL-2025-1'),
};

const ENTRIES = [
  'npm/GHSA-2222-2222-2222.json GHSA-2222-2222-2222 tidy-tree',
  'npm/GHSA-3333-3333-3333.json GHSA-3333-3333-3333 a',
  'npm/GHSA-3333-3333-3333.json GHSA-3333-3333-3333 b',
  'npm/GHSA-3333-3333-3333.json skipped: ecosystem Acme',
  'npm/broken.json reject: is not valid JSON (',
  'npm/x/MAL-2025-1.json MAL-2025-1 tidy-tree',
];

const cut = (text: string): string => text.replace(/(is not valid JSON \().*/, '$1');

test('the OSV source reads a folder tree, with a place and an entry for everything in it', async (t) => {
  const folder = writeTree(temporaryFolder(t), { ...TREE, 'README.md': 'x' });
  const { label, unit, total } = openOsv(folder);
  assert.deepEqual([label, unit, total], [folder, 'bytes', undefined]);
  const { entries, passed } = await readAll(folder);
  assert.deepEqual(
    entries.map((entry) => cut(textOf(entry, folder))),
    ENTRIES,
  );
  assert.equal(
    passed,
    Object.values(TREE).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  );
});

test('the OSV source reads the same from a zip archive of it, whatever its name', async (t) => {
  const path = join(temporaryFolder(t), 'export');
  writeZip(path, Object.entries({ ...TREE, 'README.md': 'x' }));
  const { entries, passed } = await readAll(path);
  const [first, ...others] = entries.map((entry) =>
    cut(textOf(entry, dirname(path)).replace('export: ', '')),
  );
  assert.equal(first, 'README.md skipped: not a .json file');
  assert.deepEqual(others, ENTRIES);
  assert.deepEqual([openOsv(path).total, passed], [statSync(path).size, statSync(path).size]);
});

test('the OSV source reads one file, and refuses a huge one as a record', async (t) => {
  const path = join(temporaryFolder(t), 'one.json');
  writeFileSync(path, recordNamed('X-1'));
  assert.deepEqual(
    (await readAll(path)).entries.map((entry) => textOf(entry, dirname(path))),
    ['one.json X-1 tidy-tree'],
  );
  assert.equal(openOsv(path).total, statSync(path).size);
  truncateSync(path, 300_000_000);
  assert.deepEqual(
    (await readAll(path)).entries.map((entry) => textOf(entry, dirname(path))),
    ['one.json reject: has 300000000 bytes; the limit for one O'],
  );
});

test('the OSV source reads a tree of more files than a batch has', async (t) => {
  const names = Array.from({ length: 150 }, (_, at) => `X-${1000 + at}`);
  const folder = writeTree(
    temporaryFolder(t),
    Object.fromEntries(names.map((name) => [`${name}.json`, recordNamed(name)])),
  );
  const { entries } = await readAll(folder);
  assert.deepEqual(
    entries.map((entry) => (entry.kind === 'draft' ? entry.draft.sourceId : entry.kind)),
    names,
  );
});

test('files of lines count in a folder too, and any file but an archive may be gzipped', async (t: TestContext) => {
  const folder = writeTree(temporaryFolder(t), {
    'a.json': recordNamed('A'),
    'b/c.ndjson': `${recordNamed('B')}\n${recordNamed('C')}\n`,
    'b/notes.txt': 'x',
  });
  writeFileSync(join(folder, 'd.ndjson.gz'), gzipSync(`${recordNamed('D')}\n${recordNamed('E')}\n`));
  const one = join(temporaryFolder(t), 'one.json.gz');
  writeFileSync(one, gzipSync(recordNamed('F')));
  const idsIn = async (path: string): Promise<string[]> =>
    (await readAll(path)).entries.map((entry) =>
      entry.kind === 'draft' ? entry.draft.sourceId : entry.kind,
    );
  assert.deepEqual(await idsIn(folder), ['A', 'B', 'C', 'D', 'E']);
  assert.deepEqual(await idsIn(join(folder, 'd.ndjson.gz')), ['D', 'E']);
  assert.deepEqual(await idsIn(one), ['F']);
});

test('the OSV source is refused if there is nothing to read', async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const missing = join(folder, 'missing');
  assert.throws(() => openOsv(missing), {
    name: 'SourceError',
    message: `${missing}: no such file or folder; check the path`,
  });
  const empty = join(folder, 'empty.zip');
  writeZip(empty, [['README.md', 'x']]);
  for (const path of [folder, empty]) {
    await assert.rejects(readAll(path), {
      name: 'SourceError',
      message: `${path}: contains no .json or .ndjson files; check that it is an export of OSV records`,
    });
  }
});
