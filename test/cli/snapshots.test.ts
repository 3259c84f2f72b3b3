import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CommandError } from '../../src/cli/command-error.ts';
import { addSnapshotsCommand } from '../../src/cli/snapshots.ts';
import { parseRollBack } from '../../src/loader/live/markers.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { compileHours, HOUR_MS } from '../support/followed-folder.ts';
import { BUILT_AT_MS, compileRecords } from '../support/snapshots/snapshots.ts';

const stock = temporaryFolder({ after });
let hours: readonly string[];

before(async () => {
  hours = await compileHours(stock);
});

/** A folder with two snapshots, built an hour apart. */
function folderOf(owner: FolderOwner): string {
  const folder = temporaryFolder(owner);
  for (const hour of [1, 2]) copyFileSync(hours[hour], join(folder, `${hour}.vdx`));
  return folder;
}

function snapshots(...words: readonly string[]): Promise<Ran> {
  return runCommand(addSnapshotsCommand, 'snapshots', ...words);
}

async function refusalOf(...words: readonly string[]): Promise<string> {
  const { error } = await snapshots(...words);
  assert.ok(error instanceof CommandError, String(error));
  return error.message;
}

test('accept-shrink writes the id of the snapshot to a world-readable file', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, '2.vdx');
  const before = process.umask(0o077);
  const { out, error } = await snapshots('accept-shrink', file);
  process.umask(before);
  const { id } = readSnapshotHeader(file);
  assert.equal(error, undefined);
  assert.equal(
    out,
    `accepted ${file} (id ${id}, built 2026-01-10T02:00:00.000Z): a running server loads it within seconds\n`,
  );
  assert.equal(readFileSync(`${file}.accept-shrink`, 'utf8'), `${id}\n`);
  assert.equal(statSync(`${file}.accept-shrink`).mode & 0o777, 0o644);
});

test('rollback says what is served, until when, and how to end it', async (t) => {
  const folder = folderOf(t);
  const { out, error } = await snapshots('rollback', join(folder, '1.vdx'));
  assert.equal(error, undefined);
  const [older, newer] = [1, 2].map((hour) => readSnapshotHeader(hours[hour]).id);
  assert.deepEqual(out.split('\n'), [
    `rolled back to ${folder}/1.vdx (id ${older}, built 2026-01-10T01:00:00.000Z): a running server loads it within seconds`,
    `this lasts until a snapshot newer than id ${newer}, built 2026-01-10T02:00:00.000Z arrives, or until you run:`,
    `  vulndex snapshots end-rollback --snapshots ${folder}`,
    '',
  ]);
  const { file, id, newerThan } = parseRollBack(readFileSync(join(folder, 'rollback.json'), 'utf8'));
  assert.deepEqual(
    { file, id, newerThan },
    { file: '1.vdx', id: older, newerThan: { id: newer, builtAtMs: BUILT_AT_MS + 2 * HOUR_MS } },
  );
});

test('a roll-back ignores snapshots that are damaged or ahead of the clock', async (t) => {
  const folder = folderOf(t);
  const aheadMs = Date.now() + 24 * HOUR_MS;
  await compileRecords(folder, [feedRecord(9)], { name: 'ahead.vdx', builtAtMs: aheadMs });
  writeFileSync(join(folder, 'damaged.vdx'), 'damaged');
  await snapshots('rollback', join(folder, '1.vdx'));
  const { newerThan } = parseRollBack(readFileSync(join(folder, 'rollback.json'), 'utf8'));
  assert.equal(newerThan.builtAtMs, BUILT_AT_MS + 2 * HOUR_MS);
});

test('end-rollback removes the order, and fails if there is none', async (t) => {
  const folder = folderOf(t);
  await snapshots('rollback', join(folder, '1.vdx'));
  const { error } = await snapshots('end-rollback', '--snapshots', folder);
  assert.equal(error, undefined);
  assert.equal(existsSync(join(folder, 'rollback.json')), false);
  assert.match(
    await refusalOf('end-rollback', '--snapshots', folder),
    /no such file; no roll-back is in effect/,
  );
});

test('for a folder, its newest snapshots are named, newest first', async (t) => {
  const folder = folderOf(t);
  const named = (await refusalOf('rollback', folder)).match(/[^\s,]+\.vdx/g);
  assert.deepEqual(
    named,
    ['2.vdx', '1.vdx'].map((name) => join(folder, name)),
  );
});

test('a file that a server would not load is refused, and no order is left behind', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'text.vdx'), 'hello');
  copyFileSync(hours[1], join(folder, 'snapshot'));
  await compileRecords(folder, [feedRecord(9)], { name: 'ahead.vdx', builtAtMs: Date.now() + 24 * HOUR_MS });
  for (const command of ['accept-shrink', 'rollback']) {
    for (const [name, why] of [
      ['text.vdx', /foreign-file/],
      ['missing.vdx', /no such file; check the path/],
      ['snapshot', /names that end in \.vdx/],
      ['ahead.vdx', /built-ahead/],
    ] as const) {
      assert.match(await refusalOf(command, join(folder, name)), why);
      assert.equal(existsSync(join(folder, `${name}.accept-shrink`)), false);
    }
  }
  assert.equal(existsSync(join(folder, 'rollback.json')), false);
});
