import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { after, before, type TestContext, test } from 'node:test';
import { addSnapshotsCommand } from '../../../src/cli/snapshots.ts';
import { formatRollBack } from '../../../src/loader/live/markers.ts';
import { runCommand } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileHours, follow, followed, HOUR_MS, many } from '../../support/followed-folder.ts';
import { BUILT_AT_MS, readBytes, withFlippedBit } from '../../support/snapshots/snapshots.ts';
import { phrases } from '../../support/words.ts';

const stock = temporaryFolder({ after });
let hours: readonly string[];

before(async () => {
  hours = await compileHours(stock);
});

/** Snapshots of hours 1 and 2 in the folder, 2 live, then rolled back to 1. */
async function rolledBack(t: TestContext) {
  const scene = followed(t);
  copyFileSync(hours[1], scene.at('1.vdx'));
  copyFileSync(hours[2], scene.at('2.vdx'));
  assert.deepEqual(scene.scanAtOnce(), ['loaded 2.vdx', 'older 1.vdx']);
  await rollBack(scene.at('1.vdx'));
  assert.deepEqual(scene.scan(), ['roll-back pending', 'loaded 1.vdx (rolled-back)', 'roll-back held']);
  return scene;
}

async function rollBack(file: string): Promise<void> {
  const { error } = await runCommand(addSnapshotsCommand, 'snapshots', 'rollback', file);
  assert.equal(error, undefined);
}

test('a roll-back lasts through scans, reloads and changes to the file it was rolled back from', async (t) => {
  const { at, scan, scanAtOnce, served } = await rolledBack(t);
  assert.deepEqual([scan(), scanAtOnce()], [[], []]);
  utimesSync(at('2.vdx'), 1, 1);
  renameSync(at('2.vdx'), at('again.vdx'));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [[], []]);
  assert.equal(served(), 1);
});

test('a roll-back ends when a snapshot arrives that is newer than the one rolled back from', async (t) => {
  const { at, scan, scanAtOnce, served } = await rolledBack(t);
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual([scan(), scan()], [[], ['roll-back over', 'loaded 3.vdx']]);
  assert.deepEqual([scan(), scanAtOnce()], [[], []]); // though the order is still there
  assert.equal(served(), 3);
});

test('a roll-back ends with end-rollback', async (t) => {
  const { folder, scan, served } = await rolledBack(t);
  const { error } = await runCommand(addSnapshotsCommand, 'snapshots', 'end-rollback', '--snapshots', folder);
  assert.equal(error, undefined);
  assert.deepEqual([scan(), scan()], [['no roll-back', 'loaded 2.vdx'], []]);
  assert.equal(served(), 2);
});

test('a roll-back can be ordered again after it is over', async (t) => {
  const { at, scan, scanAtOnce, served } = await rolledBack(t);
  copyFileSync(hours[3], at('3.vdx'));
  scanAtOnce();
  await rollBack(at('1.vdx'));
  assert.deepEqual(scan(), ['roll-back pending', 'loaded 1.vdx (rolled-back)', 'roll-back held']);
  assert.equal(served(), 1);
});

test('a roll-back works when the file of the live snapshot has been removed', async (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  rmSync(at('2.vdx'));
  await rollBack(at('1.vdx')); // the newest file
  assert.deepEqual(scan(), ['roll-back pending', 'loaded 1.vdx (rolled-back)', 'roll-back held']);
  copyFileSync(hours[2], at('2.vdx'));
  assert.deepEqual(scanAtOnce(), []); // what it was rolled back from
  assert.equal(served(), 1);
});

test('a roll-back is exempt from the guard against snapshots that lost their data', async (t) => {
  const { at, scan, scanAtOnce, swap } = followed(t, { maxShrinkPercent: 20 });
  copyFileSync(await many(t, 5, 1), at('1.vdx'));
  copyFileSync(await many(t, 10, 2), at('2.vdx'));
  scanAtOnce();
  await rollBack(at('1.vdx'));
  assert.ok(scan().includes('loaded 1.vdx (rolled-back)'));
  assert.equal(swap.current()?.publishedCount, 5);
});

test('a roll-back lasts when the process or only the loader thread is restarted', async (t) => {
  const { folder, swap } = await rolledBack(t);
  const process = follow(folder);
  assert.deepEqual(process.scanAtOnce(), [
    'roll-back pending',
    'loaded 1.vdx (rolled-back)',
    'roll-back held',
  ]);
  const thread = follow(folder, { inForce: swap.inForce(), rollBack: swap.rollBack() });
  assert.deepEqual([thread.scanAtOnce(), thread.scanAtOnce()], [[], []]);
});

test('a roll-back that is over stays over when the process or the thread is restarted', async (t) => {
  const { folder, at, scanAtOnce, swap } = await rolledBack(t);
  copyFileSync(hours[3], at('3.vdx'));
  scanAtOnce();
  assert.deepEqual(
    follow(folder).scanAtOnce(),
    phrases('roll-back pending | roll-back over | loaded 3.vdx | older 2.vdx | older 1.vdx'),
  );
  const thread = follow(folder, { inForce: swap.inForce(), rollBack: swap.rollBack() });
  assert.deepEqual(thread.scanAtOnce(), ['older 2.vdx', 'older 1.vdx']);
});

test('a roll-back that cannot be followed says why, keeps the live snapshot, and is followed once possible', async (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  await rollBack(at('1.vdx'));
  rmSync(at('1.vdx'));
  assert.deepEqual([scan(), scan()], [['roll-back pending', 'roll-back pending: no file 1.vdx'], []]);
  const bytes = readBytes(hours[1]);
  writeFileSync(at('1.vdx'), withFlippedBit(bytes, bytes.length - 9));
  assert.deepEqual(scanAtOnce(), ['refused 1.vdx: checksum-mismatch', 'roll-back pending: 1.vdx is refused']);
  assert.equal(served(), 2);
  writeFileSync(at('1.vdx'), bytes);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx (rolled-back)', 'roll-back held']);
  assert.equal(served(), 1);
});

test('a roll-back to a file that is another snapshot by now is not followed', async (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[3], at('3.vdx'));
  scanAtOnce();
  await rollBack(at('1.vdx'));
  copyFileSync(hours[2], at('1.vdx'));
  scan();
  assert.match(scan().join(), /roll-back pending: 1\.vdx is now snapshot [0-9a-f]{16}, not [0-9a-f]{16}/);
  assert.equal(served(), 3);
});

test('a roll-back that cannot be followed blocks nothing while there is nothing to serve', async (t) => {
  const { folder, at } = await rolledBack(t);
  rmSync(at('1.vdx'));
  const { scanAtOnce, served } = follow(folder);
  assert.deepEqual(scanAtOnce(), ['roll-back pending', 'roll-back pending: no file 1.vdx', 'loaded 2.vdx']);
  assert.equal(served(), 2);
});

test('a roll-back is not ended by a marker that becomes unreadable', async (t) => {
  const { at, scan, served } = await rolledBack(t);
  writeFileSync(at('rollback.json'), '{');
  assert.deepEqual([scan(), scan()], [['marker rollback.json: it is not JSON'], []]);
  assert.equal(served(), 1);
});

test('a roll-back ends when its marker is deleted after a failure to read it', async (t) => {
  const { at, scan, served } = await rolledBack(t);
  rmSync(at('rollback.json'));
  symlinkSync('rollback.json', at('rollback.json')); // to itself
  assert.deepEqual([scan(), scan()], [['marker rollback.json: it cannot be read (ELOOP)'], []]);
  assert.equal(served(), 1);
  rmSync(at('rollback.json'));
  assert.deepEqual([scan(), scan()], [['no roll-back', 'loaded 2.vdx'], []]);
  assert.equal(served(), 2);
});

test('a roll-back ignores snapshots ahead of the clock, which would block all others until then', async (t) => {
  let nowMs = BUILT_AT_MS + 2 * HOUR_MS;
  const { at, scan, scanAtOnce } = followed(t, { nowMs: () => nowMs });
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  const order = { file: '1.vdx', id: '0123456789abcdef', orderedAtMs: nowMs };
  const newerThan = { id: 'fedcba9876543210', builtAtMs: nowMs + HOUR_MS };
  writeFileSync(at('rollback.json'), formatRollBack({ ...order, newerThan }));
  assert.deepEqual(scan(), ['marker rollback.json: newer_than is ahead of the clock']);
  nowMs += HOUR_MS;
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx']);
});
