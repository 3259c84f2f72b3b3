import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addDiffCommand } from '../../src/cli/diff.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { type FeedJson, feedRecord, npmProduct } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluck } from '../support/pluck.ts';
import { runProgram } from '../support/process/program.ts';
import {
  BUILT_AT_MS,
  compileRecords,
  readBytes,
  sampleRecords,
  withFlippedBit,
  writeBytes,
} from '../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let previous: string;
let next: string;

function edited(): FeedJson[] {
  const changes: { readonly [id: number]: FeedJson } = {
    101: { title: 'Renamed\u001b[31m', affected: [] as const, affected_versions: ['1.0'] },
    104: { withdrawn_at: '2026-01-06T00:00:00Z' },
    301: { withdrawn_at: undefined as never, title: 'Back' },
  };
  const kept = sampleRecords().filter(({ id }) => id !== 203 && id !== 302);
  return [
    ...kept.map((record) => ({ ...record, ...changes[record.id as number] })),
    feedRecord(401, { product: npmProduct('new', 14), cves: [], ghsa: 'GHSA-new' }),
    feedRecord(402, { withdrawn_at: '2026-01-06T00:00:00Z', cves: [] }),
  ];
}

before(async () => {
  previous = await compileRecords(folder, sampleRecords(), { name: 'previous.vdx' });
  next = await compileRecords(folder, edited(), { name: 'next.vdx', builtAtMs: BUILT_AT_MS + 1000 });
});

const diff = (...words: readonly string[]): Promise<Ran> => runCommand(addDiffCommand, 'diff', ...words);

test('as text, a summary comes first, then each kind of difference as a table', async () => {
  const { out, err, error } = await diff(previous, next);
  assert.equal(error, undefined);
  assert.equal(err, '');
  const ids = [...out.matchAll(/id ([0-9a-f]{16})/g)].map((match) => match[1]);
  assert.equal(
    out,
    `2 added, 1 changed, 1 withdrawn, 1 restored, 2 gone; 6 unchanged
  from  ${previous}  id ${ids[0]}  built 2026-01-10T00:00:00.000Z  11 advisories
  to    ${next}      id ${ids[1]}  built 2026-01-10T00:00:01.000Z  11 advisories

added: 2
  402  -         plugin  gallery  Advisory 402 (withdrawn)
  401  GHSA-new  npm     new      Advisory 401

changed: 1
  101  CVE-2026-101  plugin  gallery  title, affected, affected_versions  Renamed [31m

withdrawn: 1
  104  -  theme  paper  Advisory 104

restored: 1
  301  CVE-2026-301  plugin  gallery  Back

gone: 2
  302  CVE-2026-302  npm  gone  Advisory 302 (withdrawn)
  203  CVE-2026-203  npm  left  Advisory 203
`,
  );
});

test('snapshots with the same advisories have no differences', async () => {
  const { out } = await diff(previous, previous);
  assert.match(out, /^0 added, 0 changed, 0 withdrawn, 0 restored, 0 gone; 11 unchanged\n(.*\n){2}$/);
});

test('--limit lists that many of each kind and counts all; the default is 20', async () => {
  const { out } = await diff(previous, next, '--limit', '1');
  assert.match(out, /^2 added, /);
  assert.match(out, /\nadded: 2 \(1 of them listed; see --limit\)\n {2}402 .*\n\nchanged: 1\n/);
  assert.match((await diff(previous, next, '--limit', '0')).out, /\nadded: 2 \(0 of them listed/);
  const many = Array.from({ length: 25 }, (_, i) => feedRecord(i + 1));
  const one = await compileRecords(folder, many.slice(0, 1), { name: 'one.vdx' });
  const all = await compileRecords(folder, many, { name: 'many.vdx' });
  const lines = (await diff(one, all)).out.split('\n');
  assert.ok(lines.includes('added: 24 (20 of them listed; see --limit)'));
  assert.equal(lines.filter((line) => line.includes('Advisory')).length, 20);
});

const lines = async (...words: readonly string[]) => {
  const { status, stdout, stderr } = await runProgram(['diff', ...words, '--json']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const text = stdout.toString();
  assert.ok(text.endsWith('\n'));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
};

test('as JSON, there is one line for each difference, by descending id, and then a summary', async () => {
  const [first, ...others] = await lines(previous, next);
  const summary = others.pop();
  assert.deepEqual(first, {
    ...{ change: 'added', id: 402, cve: null, ghsa: null, type: 'plugin', slug: 'gallery' },
    ...{ title: 'Advisory 402', withdrawn: true },
  });
  assert.deepEqual(
    others.map(({ id, change, fields }) => [id, change, fields]),
    [
      [401, 'added', undefined],
      [302, 'gone', undefined],
      [301, 'restored', ['title', 'withdrawn_at']],
      [203, 'gone', undefined],
      [104, 'withdrawn', ['withdrawn_at']],
      [101, 'changed', ['title', 'affected', 'affected_versions']],
    ],
  );
  const { previous: from, next: to, ...counts } = summary.summary;
  assert.deepEqual(counts, { ...{ added: 2, changed: 1, withdrawn: 1, restored: 1, gone: 2 }, unchanged: 6 });
  assert.equal(from.file, previous);
  assert.match(from.id, /^[0-9a-f]{16}$/);
  assert.deepEqual(
    [to.built_at, to.advisories, to.withdrawn, from.withdrawn],
    ['2026-01-10T00:00:01.000Z', 11, 2, 2],
  );
});

test('as JSON, nothing is left out unless --limit asks for it', async () => {
  const many = Array.from({ length: 2_345 }, (_, i) => feedRecord(i + 1));
  const one = await compileRecords(folder, many.slice(0, 1), { name: 'first.vdx' });
  const all = await compileRecords(folder, many, { name: 'all.vdx' });
  assert.equal((await lines(one, all)).length, 2_344 + 1);
  const limited = await lines(one, all, '--limit', '2');
  assert.deepEqual(pluck(limited, 'id'), [2345, 2344, undefined]);
  assert.equal(limited[2].summary.added, 2_344);
});

test('--exit-code exits with 3 if there are differences, even if none is listed', async () => {
  const [plain, same, different, unlisted] = await Promise.all([
    runProgram(['diff', previous, next]),
    runProgram(['diff', previous, previous, '--exit-code']),
    runProgram(['diff', previous, next, '--exit-code']),
    runProgram(['diff', previous, next, '--exit-code', '--json', '--limit', '0']),
  ]);
  assert.deepEqual(pluck([plain, same, different, unlisted], 'status'), [0, 0, 3, 3]);
});

test('a folder stands for its newest snapshot, and one side may be standard input', async () => {
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  await compileRecords(snapshots, sampleRecords(), { name: 'z-older.vdx' });
  const newest = await compileRecords(snapshots, edited(), {
    name: 'a-newest.vdx',
    builtAtMs: BUILT_AT_MS + 5000,
  });
  const { out } = await diff(previous, snapshots);
  assert.match(out, /^2 added/);
  assert.ok(out.includes(newest));
  const piped = await runProgram(['diff', '-', snapshots], { input: readBytes(previous) });
  assert.match(piped.stdout.toString(), /^2 added.*\n {2}from {2}- /);
});

test('both sides from standard input is a usage error', async () => {
  const { error } = await diff('-', '-');
  assert.equal(error?.name, 'UsageError');
  assert.match(error?.message ?? '', /standard input can be read only once/);
});

test('an unusable snapshot is named, with what is wrong', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const bad = writeBytes(folder, 'bad.vdx', withFlippedBit(readBytes(previous), 300));
  for (const [name, message] of [
    [empty, /empty: no snapshot in this folder; name a file$/],
    [join(folder, 'nothing.vdx'), /nothing\.vdx: no such file; check the path$/],
    [bad, /bad\.vdx: snapshot rejected: checksum-mismatch/],
  ] as const) {
    for (const words of [
      [previous, name],
      [name, next],
    ]) {
      const { out, error } = await diff(...words);
      assert.equal(out, '');
      assert.equal(error?.name, 'CommandError');
      assert.match(error?.message ?? '', message);
    }
  }
});
