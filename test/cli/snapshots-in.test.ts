import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { snapshotNamed, snapshotsIn } from '../../src/cli/snapshots-in.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BUILT_AT_MS, compileRecords } from '../support/snapshots/snapshots.ts';

test('snapshots come newest first by their build time, then by id; others say why they are refused', async (t) => {
  const folder = temporaryFolder(t);
  const make = (name: string, id: number, builtAtMs: number): Promise<string> =>
    compileRecords(folder, [feedRecord(id)], { name, builtAtMs });
  await make('b.vdx', 1, BUILT_AT_MS + 2000);
  const twins = [await make('c.vdx', 2, BUILT_AT_MS), await make('d.vdx', 3, BUILT_AT_MS)];
  await make('a.vdx', 4, BUILT_AT_MS + 3_600_000);
  writeFileSync(join(folder, 'bad.vdx'), 'not a snapshot');
  copyFileSync(twins[0], join(folder, '.hidden.vdx'));
  const { usable, refused } = snapshotsIn(folder, BUILT_AT_MS + 4000);
  const [first, ...others] = usable;
  assert.equal(first.path, join(folder, 'b.vdx'));
  assert.deepEqual(others.map(({ path }) => path).toSorted(), twins);
  assert.ok(others[0].id > others[1].id);
  assert.deepEqual(
    refused.map(({ path, error }) => [basename(path), error.code]),
    [
      ['a.vdx', 'built-ahead'],
      ['bad.vdx', 'foreign-file'],
    ],
  );
});

test('where one snapshot is asked for, a folder is its newest one; what no server would load is named', async (t) => {
  const folder = temporaryFolder(t);
  const said: string[] = [];
  const named = (name: string): string => snapshotNamed(name, (line) => said.push(line));
  assert.throws(() => named(folder), { message: `${folder}: no snapshot in this folder; name a file` });
  const newest = await compileRecords(folder, [feedRecord(1)], { name: 'a.vdx', builtAtMs: BUILT_AT_MS + 1 });
  await compileRecords(folder, [feedRecord(2)], { name: 'b.vdx' });
  writeFileSync(join(folder, 'bad.vdx'), 'not a snapshot');
  assert.equal(named(folder), newest);
  assert.match(said.join(), /^warning: \S+bad\.vdx: snapshot rejected: foreign-file .*; passed over$/);
  for (const name of [newest, '-', join(folder, 'missing')]) assert.equal(named(name), name);
});

test('a folder that does not exist has none; what is not a folder is an error', async (t) => {
  const folder = temporaryFolder(t);
  assert.deepEqual(snapshotsIn(join(folder, 'nothing'), BUILT_AT_MS), { usable: [], refused: [] });
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => snapshotsIn(join(folder, 'file'), BUILT_AT_MS), {
    name: 'CommandError',
    message: /file: cannot be listed \(ENOTDIR\)/,
  });
});
