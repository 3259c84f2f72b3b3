import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { after, before, type TestContext, test } from 'node:test';
import { addSnapshotsCommand } from '../../../src/cli/snapshots.ts';
import { SnapshotError } from '../../../src/loader/errors.ts';
import { HotSwap, type HotSwapOptions, type ListedSnapshot } from '../../../src/loader/live/hot-swap.ts';
import { readSnapshotHeader } from '../../../src/loader/snapshot/reader.ts';
import { runCommand } from '../../support/command.ts';
import { beforeOpening, failWith } from '../../support/failing-system.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileHours, follow, followed, HOUR_MS, many } from '../../support/followed-folder.ts';
import { pluck } from '../../support/pluck.ts';
import { withTexts } from '../../support/snapshots/mutations.ts';
import {
  BUILT_AT_MS,
  compileRecords,
  readBytes,
  resealed,
  withFlippedBit,
} from '../../support/snapshots/snapshots.ts';
import { phrases } from '../../support/words.ts';

// Snapshots to copy from; two with the same build time differ in their ids.
const stock = temporaryFolder({ after });
const twins: string[] = [];
let hours: readonly string[];

before(async () => {
  hours = await compileHours(stock);
  for (const id of [8, 9])
    twins.push(await compileRecords(stock, [feedRecord(id)], { name: `twin-${id}.vdx` }));
});

test('the newest snapshot is the one built last, whatever its name and mtime', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  copyFileSync(hours[3], at('a.vdx'));
  copyFileSync(hours[1], at('z.vdx'));
  utimesSync(at('a.vdx'), 1, 1);
  assert.deepEqual(scanAtOnce(), ['loaded a.vdx', 'older z.vdx']);
  assert.equal(served(), 3);
});

test('the newest snapshot of two built at the same time is the one with the greater id', (t) => {
  const { at, scanAtOnce, swap } = followed(t);
  const ids = twins.map((twin) => {
    copyFileSync(twin, at('twin.vdx'));
    const alone = followed(t);
    copyFileSync(twin, alone.at('twin.vdx'));
    alone.scanAtOnce();
    return alone.swap.current()?.id ?? '';
  });
  twins.forEach((twin, i) => {
    copyFileSync(twin, at(`twin-${i}.vdx`));
  });
  scanAtOnce();
  assert.equal(swap.current()?.id, ids.sort()[1]);
});

test('the newest snapshot is one of the files that end in .vdx and do not start with a dot', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  for (const name of ['.hidden.vdx', 'x.vdx.tmp', 'README.md']) copyFileSync(hours[3], at(name));
  assert.deepEqual(scanAtOnce(), ['folder empty']);
  assert.equal(served(), undefined);
});

test('an empty folder has no newest snapshot, which is reported once, and again when it ends', (t) => {
  const { at, scanAtOnce } = followed(t);
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['folder empty'], []]);
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['folder filled', 'loaded 1.vdx'], []]);
});

test('the newest snapshot is not loaded again under another name', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  copyFileSync(hours[2], at('a.vdx'));
  scanAtOnce();
  copyFileSync(hours[2], at('b.vdx'));
  assert.deepEqual(scanAtOnce(), []);
  assert.equal(served(), 2);
});

test('a new file is loaded at the second scan, as the first cannot know that it is complete', (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  copyFileSync(hours[2], at('2.tmp'));
  renameSync(at('2.tmp'), at('2.vdx'));
  assert.deepEqual(scan(), []);
  assert.deepEqual(scan(), ['loaded 2.vdx']);
  assert.deepEqual(scan(), []);
  assert.equal(served(), 2);
});

test('a new file is loaded at the first scan with includeFresh', (t) => {
  const { at, scanAtOnce } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx']);
});

test('a new file that is copied slowly is left alone while it grows, and loaded when complete', (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  const bytes = readBytes(hours[2]);
  const step = Math.ceil(bytes.length / 5);
  writeFileSync(at('2.vdx'), '');
  for (let done = 0; done < bytes.length; done += step) {
    assert.deepEqual(scan(), []);
    appendFileSync(at('2.vdx'), bytes.subarray(done, done + step));
    assert.equal(served(), 1);
  }
  assert.deepEqual(scan(), []);
  assert.deepEqual(scan(), ['loaded 2.vdx']);
  assert.equal(served(), 2);
});

test('a new file whose copy stalls is refused once and still loaded when complete', (t) => {
  const { at, scan } = followed(t);
  const bytes = readBytes(hours[2]);
  writeFileSync(at('2.vdx'), bytes.subarray(0, 1000));
  assert.deepEqual([scan(), scan(), scan()], [[], ['refused 2.vdx: truncated'], []]);
  appendFileSync(at('2.vdx'), bytes.subarray(1000));
  assert.deepEqual([scan(), scan(), scan()], [[], ['loaded 2.vdx'], []]);
});

test('a new file that is older than the live snapshot is reported once', (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual([scan(), scan(), scan(), scanAtOnce()], [[], ['older 1.vdx'], [], []]);
  assert.equal(served(), 2);
});

test('a new file under the name of another replaces it if newer, and is reported if older', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('now.vdx'));
  scanAtOnce();
  copyFileSync(hours[2], at('now.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded now.vdx']);
  copyFileSync(hours[1], at('next'));
  renameSync(at('next'), at('now.vdx'));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['older now.vdx'], []]);
  assert.equal(served(), 2);
});

test('a file that is refused leaves the live snapshot in place, and is not checked again until it changes', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  const bytes = readBytes(hours[3]);
  writeFileSync(at('3.vdx'), withFlippedBit(bytes, bytes.length - 9));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['refused 3.vdx: checksum-mismatch'], []]);
  assert.equal(served(), 1);
  writeFileSync(at('3.vdx'), withFlippedBit(bytes, 8));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['refused 3.vdx: unsupported-format'], []]);
  writeFileSync(at('3.vdx'), bytes);
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx']);
  assert.equal(served(), 3);
});

test('a file that is refused gives way to the next newest sound one', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  const bytes = readBytes(hours[3]);
  writeFileSync(at('3.vdx'), withFlippedBit(bytes, bytes.length - 9));
  copyFileSync(hours[2], at('2.vdx'));
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['refused 3.vdx: checksum-mismatch', 'loaded 2.vdx', 'older 1.vdx']);
  assert.equal(served(), 2);
});

test('a file that is refused does not keep others from being loaded: foreign, empty, a folder, a link to itself', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  writeFileSync(at('text.vdx'), 'hello');
  writeFileSync(at('empty.vdx'), '');
  mkdirSync(at('folder.vdx'));
  symlinkSync('loop.vdx', at('loop.vdx'));
  symlinkSync('nowhere', at('nowhere.vdx'));
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(
    scanAtOnce().sort(),
    phrases(`
      loaded 1.vdx | refused empty.vdx: truncated | refused folder.vdx: unreadable |
      refused loop.vdx: unreadable | refused text.vdx: foreign-file
    `),
  );
  assert.deepEqual(scanAtOnce(), []);
  assert.equal(served(), 1);
});

/** The snapshot of an hour with a fault that its columns do not show. */
function withFault(hour: number): Uint8Array {
  return withTexts(readBytes(hours[hour]), (texts) => void texts.fill(0xc1));
}

test('a fault that is found in the live snapshot retires it: the newest sound one takes its place', (t) => {
  const { at, scan, scanAtOnce, check, served, refusals } = followed(t);
  writeFileSync(at('3.vdx'), withFault(3));
  writeFileSync(at('2.vdx'), withFault(2));
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx', 'older 2.vdx', 'older 1.vdx']);
  assert.deepEqual(check(), ['refused 3.vdx: bad-record', 'loaded 2.vdx (previous-retired)', 'retired']);
  assert.deepEqual(check(), ['refused 2.vdx: bad-record', 'loaded 1.vdx (previous-retired)', 'retired']);
  assert.deepEqual([check(), scan()], [[], []]);
  assert.equal(served(), 1);
  assert.match(refusals[0].message, /bad-record in "texts" at byte 0/);
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx']);
});

test('a fault in the only snapshot leaves it live until there is another, even an older one', (t) => {
  const { at, scanAtOnce, check, served } = followed(t);
  writeFileSync(at('2.vdx'), withFault(2));
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx']);
  assert.deepEqual(check(), ['refused 2.vdx: bad-record', 'retired, but live']);
  assert.equal(served(), 2);
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 3.vdx']);
  assert.deepEqual(check(), []);
});

test('a fault in what clients asked for last is found before the swap', (t) => {
  const { at, scanAtOnce, served, swap } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  swap.current()?.items.require(0, 1);
  const bytes = withTexts(readBytes(hours[1]), (texts) => void texts.fill(0xc1));
  new DataView(bytes.buffer).setBigUint64(24, BigInt(BUILT_AT_MS + 2 * HOUR_MS), true);
  writeFileSync(at('2.vdx'), resealed(bytes));
  assert.deepEqual(scanAtOnce(), ['refused 2.vdx: bad-record']);
  assert.equal(served(), 1);
});

test('removal of the live file unloads nothing, and an older one does not take its place', (t) => {
  const { at, scanAtOnce, served } = followed(t);
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  rmSync(at('2.vdx'));
  assert.deepEqual(scanAtOnce(), ['folder empty']);
  assert.equal(served(), 2);
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['folder filled', 'older 1.vdx']);
  assert.equal(served(), 2);
});

test('removal of the folder is reported once, and its return once', (t) => {
  const { folder, at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  renameSync(folder, `${folder}-away`);
  assert.deepEqual([scan(), scan()], [['folder unreadable'], []]);
  writeFileSync(folder, 'a file where the folder was');
  assert.deepEqual([scan(), scan()], [['folder unreadable'], []]); // for another reason, so it is reported
  assert.equal(served(), 1);
  rmSync(folder);
  renameSync(`${folder}-away`, folder);
  copyFileSync(hours[2], at('2.vdx'));
  assert.deepEqual([scan(), scan(), scan()], [['folder filled'], ['loaded 2.vdx'], []]);
  assert.equal(served(), 2);
});

test('removal may have happened before the start', (t) => {
  const { folder, at, scanAtOnce } = followed(t);
  rmSync(folder, { recursive: true });
  assert.deepEqual(scanAtOnce(), ['folder unreadable']);
  mkdirSync(folder);
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['folder filled', 'loaded 1.vdx']);
});

const SECOND_MS = 1_000;

for (const call of ['openSync', 'readSync'] as const) {
  test(`a system error in ${call} is reported once, and the file is retried after growing pauses`, (t) => {
    let nowMs = BUILT_AT_MS + 24 * HOUR_MS;
    const { at, scan, scanAtOnce, served } = followed(t, { nowMs: () => nowMs });
    copyFileSync(hours[1], at('1.vdx'));
    const failure = failWith(t, call, 'EIO');
    assert.deepEqual(scanAtOnce(), ['refused 1.vdx: unreadable']);
    const triedAfter: number[] = [];
    for (let seconds = 1; seconds <= 200; seconds++) {
      nowMs += SECOND_MS;
      const before = failure.tries();
      assert.deepEqual(scan(), []); // it is not reported again
      if (failure.tries() > before) triedAfter.push(seconds);
    }
    assert.deepEqual(triedAfter, [1, 3, 7, 15, 31, 63, 123, 183]);
    failure.end();
    nowMs += 60 * SECOND_MS; // no pause is longer
    assert.deepEqual(scan(), ['loaded 1.vdx']);
    assert.equal(served(), 1);
  });
}

test('a file with a system error is retried at once on SIGHUP', (t) => {
  const { at, scan, scanAtOnce } = followed(t, { nowMs: () => BUILT_AT_MS + 24 * HOUR_MS });
  copyFileSync(hours[1], at('1.vdx'));
  const failure = failWith(t, 'openSync', 'EMFILE');
  assert.deepEqual(scanAtOnce(), ['refused 1.vdx: unreadable']);
  failure.end();
  assert.deepEqual(scan(), []);
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx']);
});

test('a system error is reported again when it changes', (t) => {
  let nowMs = BUILT_AT_MS + 24 * HOUR_MS;
  const { at, scan, scanAtOnce, refusals } = followed(t, { nowMs: () => nowMs });
  copyFileSync(hours[1], at('1.vdx'));
  const failure = failWith(t, 'openSync', 'EMFILE');
  scanAtOnce();
  failure.end();
  failWith(t, 'readSync', 'EIO');
  nowMs += 60 * SECOND_MS;
  assert.deepEqual(scan(), ['refused 1.vdx: unreadable']);
  assert.deepEqual(
    refusals.map((error) => 'got' in error && error.got),
    ['EMFILE', 'EIO'],
  );
});

test('without memory for a second generation the live one stays whole, and the file is tried again', (t) => {
  let nowMs = BUILT_AT_MS + 24 * HOUR_MS;
  const { at, scan, scanAtOnce, served, check } = followed(t, { nowMs: () => nowMs });
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  const hasRoom = globalThis.SharedArrayBuffer;
  const noRoom = new Proxy(hasRoom, {
    construct: () => {
      throw new RangeError('Array buffer allocation failed');
    },
  });
  t.after(() => {
    globalThis.SharedArrayBuffer = hasRoom;
  });
  globalThis.SharedArrayBuffer = noRoom;
  copyFileSync(hours[2], at('2.vdx'));
  assert.deepEqual(scanAtOnce(), ['refused 2.vdx: RangeError: Array buffer allocation failed']);
  assert.deepEqual([scan(), check(), served()], [[], [], 1]);
  globalThis.SharedArrayBuffer = hasRoom;
  nowMs += SECOND_MS;
  assert.deepEqual([scan(), served()], [['loaded 2.vdx'], 2]);
});

test('a snapshot that the canary stops is refused until it is accepted by name; a later one is judged anew', (t) => {
  const judged: number[] = [];
  const findChanged: HotSwapOptions['findChanged'] = (live, next) => {
    judged.push(live.idAt(0), next.idAt(0));
    const fault = { section: 'file', offset: 0, expected: 'the same', got: 'others' } as const;
    return next.idAt(0) === 2 ? new SnapshotError({ ...fault, code: 'verdicts-changed' }) : undefined;
  };
  const { at, scanAtOnce, served } = followed(t, { findChanged });
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx'], 'there is nothing to compare the first with');
  copyFileSync(hours[2], at('2.vdx'));
  assert.deepEqual([scanAtOnce(), scanAtOnce()], [['refused 2.vdx: verdicts-changed'], []]);
  assert.deepEqual([judged.splice(0), served()], [[1, 2], 1]);
  const { id } = readSnapshotHeader(at('2.vdx'));
  writeFileSync(`${at('2.vdx')}.accept-shrink`, id);
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx (accepted-shrink)']);
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual([scanAtOnce(), judged], [['loaded 3.vdx'], [2, 3]]);
});

test('a snapshot built ahead of the clock is refused by name and does not block later ones, with or without its file', (t) => {
  const { at, scanAtOnce, served } = followed(t, { nowMs: () => BUILT_AT_MS + 2 * HOUR_MS });
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[3], at('ahead.vdx'));
  assert.deepEqual(scanAtOnce(), ['refused ahead.vdx: built-ahead', 'loaded 1.vdx']);
  copyFileSync(hours[2], at('2.vdx'));
  assert.deepEqual(scanAtOnce(), ['loaded 2.vdx']);
  rmSync(at('ahead.vdx'));
  assert.deepEqual(scanAtOnce(), []);
  assert.equal(served(), 2);
});

test('a snapshot built ahead of the clock is loaded if it is at most five minutes ahead', (t) => {
  const clock = { nowMs: BUILT_AT_MS + HOUR_MS - 5 * 60_000 - 1 };
  const { at, scanAtOnce } = followed(t, { nowMs: () => clock.nowMs });
  copyFileSync(hours[1], at('1.vdx'));
  assert.deepEqual(scanAtOnce(), ['refused 1.vdx: built-ahead']);
  clock.nowMs++;
  assert.deepEqual(scanAtOnce(), ['loaded 1.vdx']);
});

test('a file larger than allowed is refused based on its header, before anything is allocated for it', (t) => {
  const limit = statSync(hours[1]).size;
  const { at, scanAtOnce, served, refusals } = followed(t, { maxSnapshotBytes: limit });
  copyFileSync(hours[1], at('1.vdx'));
  const bytes = readBytes(hours[2]);
  const sparse = new Uint8Array(bytes.length);
  sparse.set(bytes);
  const header = new DataView(sparse.buffer);
  header.setBigUint64(16, 3n << 29n, true); // total length
  const origins = (3n << 29n) - header.getBigUint64(184, true);
  header.setBigUint64(176, origins, true);
  header.setBigUint64(168, origins - header.getBigUint64(160, true), true); // the index fills the rest
  writeFileSync(at('2.vdx'), sparse);
  truncateSync(at('2.vdx'), 3 * 2 ** 29);
  const before = process.memoryUsage();
  assert.deepEqual(scanAtOnce(), ['refused 2.vdx: too-large', 'loaded 1.vdx']);
  assert.ok(process.memoryUsage().arrayBuffers - before.arrayBuffers < 2 ** 30);
  assert.match(refusals[0].message, /--max-snapshot-bytes/);
  assert.equal(served(), 1);
});

test('a file that is replaced between two scans is not published based on the header of the previous one', (t) => {
  const { at, scan, scanAtOnce, served } = followed(t);
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  copyFileSync(hours[3], at('now.vdx'));
  copyFileSync(hours[1], at('older'));
  beforeOpening(t, 2, () => renameSync(at('older'), at('now.vdx'))); // after the header was read
  assert.deepEqual([scanAtOnce(), scan(), scan()], [[], [], ['older now.vdx']]);
  assert.equal(served(), 2);
});

test('a restarted follower loads nothing older than the live snapshot, even if its file is gone', (t) => {
  const { folder, at, scanAtOnce, swap } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[3], at('3.vdx'));
  scanAtOnce();
  const again = follow(folder, { inForce: swap.inForce() });
  rmSync(at('3.vdx'));
  assert.deepEqual(again.scanAtOnce(), ['older 1.vdx']);
  copyFileSync(hours[3], at('3.vdx'));
  assert.deepEqual(again.scanAtOnce(), []); // already live
  assert.equal(again.swap.current(), undefined);
});

test('a restarted follower keeps the guard against snapshots that lost their data', async (t) => {
  const { folder, at, scanAtOnce, swap } = followed(t, { maxShrinkPercent: 20 });
  copyFileSync(await many(t, 10, 1), at('1.vdx'));
  copyFileSync(await many(t, 5, 2), at('small.tmp'));
  scanAtOnce();
  renameSync(at('small.tmp'), at('2.vdx'));
  const again = follow(folder, { maxShrinkPercent: 20, inForce: swap.inForce() });
  assert.deepEqual(again.scanAtOnce(), ['refused 2.vdx: shrunk']);
});

test('another process on the folder loads nothing that the guard refused, and says what is held back', async (t) => {
  const { folder, at, scanAtOnce, guarded } = followed(t, { maxShrinkPercent: 20 });
  copyFileSync(await many(t, 10, 1), at('1.vdx'));
  scanAtOnce();
  copyFileSync(await many(t, 5, 2), at('2.vdx'));
  copyFileSync(await many(t, 6, 3), at('3.vdx'));
  scanAtOnce();
  assert.equal(guarded(), '3.vdx');
  const next = follow(folder, { maxShrinkPercent: 20 });
  assert.deepEqual(next.scanAtOnce(), ['refused 2.vdx: shrunk', 'refused 3.vdx: shrunk', 'loaded 1.vdx']);
  assert.equal(next.guarded(), '3.vdx');
  await runCommand(addSnapshotsCommand, 'snapshots', 'accept-shrink', at('3.vdx'));
  const accepting = follow(folder, { maxShrinkPercent: 20 });
  assert.deepEqual(accepting.scanAtOnce().slice(0, 2), ['refused 2.vdx: shrunk', 'loaded 3.vdx']);
  assert.equal(accepting.guarded(), undefined);
  assert.equal(follow(folder).scanAtOnce()[0], 'loaded 3.vdx', 'without a guard');
});

test('a snapshot that lost its data stays refused through reloads, renames and restarts of the timer', async (t) => {
  const { at, scan, scanAtOnce, swap } = followed(t, { maxShrinkPercent: 20 });
  copyFileSync(await many(t, 10, 1), at('1.vdx'));
  scanAtOnce();
  copyFileSync(await many(t, 5, 2), at('2.vdx'));
  assert.deepEqual([scan(), scan(), scanAtOnce()], [[], ['refused 2.vdx: shrunk'], []]);
  renameSync(at('2.vdx'), at('two.vdx'));
  assert.deepEqual([scan(), scan(), scanAtOnce()], [[], ['refused two.vdx: shrunk'], []]);
  assert.equal(swap.current()?.publishedCount, 10);
});

/** A live snapshot of ten advisories, and a refused one of five that the timer has long seen. */
async function refused(t: TestContext) {
  const scene = followed(t, { maxShrinkPercent: 20 });
  copyFileSync(await many(t, 10, 1), scene.at('1.vdx'));
  scene.scanAtOnce();
  copyFileSync(await many(t, 5, 2), scene.at('it is 2.vdx'));
  assert.deepEqual([scene.scan(), scene.scan()], [[], ['refused it is 2.vdx: shrunk']]);
  return scene;
}

test('a snapshot accepted by name is loaded after the command that the refusal printed', async (t) => {
  const { scan, swap, refusals } = await refused(t);
  const [, command] = /; if this is intended, run: vulndex (.+)$/.exec(refusals[0].message) ?? [];
  assert.ok(command !== undefined, refusals[0].message);
  const words = spawnSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).stdout.trim();
  const ran = await runCommand(addSnapshotsCommand, ...words.split('\n'));
  assert.equal(ran.error, undefined);
  assert.match(ran.out, /^accepted .*it is 2\.vdx \(id [0-9a-f]{16}, built 2026-01-10T02:00:00\.000Z\)/);
  assert.deepEqual([scan(), scan()], [['loaded it is 2.vdx (accepted-shrink)'], []]);
  assert.equal(swap.current()?.publishedCount, 5);
});

test('a snapshot accepted by name is still refused if the marker names another, or its file is replaced', async (t) => {
  const { at, scan, scanAtOnce } = await refused(t);
  writeFileSync(at('it is 2.vdx.accept-shrink'), '0123456789abcdef\n');
  assert.deepEqual([scan(), scanAtOnce()], [[], []]);
  await runCommand(addSnapshotsCommand, 'snapshots', 'accept-shrink', at('it is 2.vdx'));
  copyFileSync(await many(t, 4, 3), at('it is 2.vdx'));
  assert.deepEqual(scanAtOnce(), ['refused it is 2.vdx: shrunk']);
  assert.deepEqual(scanAtOnce(), []);
});

test('an invalid marker is reported', async (t) => {
  const { at, scan } = await refused(t);
  writeFileSync(at('it is 2.vdx.accept-shrink'), 'yes');
  const problem = 'marker it is 2.vdx.accept-shrink: its text is not a snapshot id of 16 hex digits: "yes"';
  assert.deepEqual([scan(), scan()], [[problem], []]);
});

test('once started, the follower loads what is there and keeps scanning until it is stopped', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { at, swap, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  swap.start(1_000);
  assert.equal(served(), 1);
  copyFileSync(hours[2], at('2.vdx'));
  t.mock.timers.tick(1_000); // it may be half copied
  assert.equal(served(), 1);
  t.mock.timers.tick(1_000);
  assert.equal(served(), 2);
  swap.stop();
  copyFileSync(hours[3], at('3.vdx'));
  t.mock.timers.tick(10_000);
  assert.equal(served(), 2);
});

test('the live generation stays the same object until a newer one replaces it', (t) => {
  const { at, swap, scanAtOnce } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  const first = swap.current();
  scanAtOnce();
  assert.equal(swap.current(), first);
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  assert.notEqual(swap.current(), first);
  assert.equal(first?.idAt(0), 1); // its holder can keep using it
});

test('the snapshots that can be ordered are listed when they change, newest first, without what is refused', (t) => {
  const { folder, at } = followed(t);
  const lists: (readonly ListedSnapshot[])[] = [];
  const nothing = (): void => {};
  const events = { onLoaded: nothing, onRefused: nothing, onOlder: nothing, onFolder: nothing };
  const swap = new HotSwap(folder, {
    ...events,
    onRollBack: nothing,
    onMarker: nothing,
    onListed: (snapshots) => lists.push(snapshots),
  });
  const scan = (): void => swap.scan({ includeFresh: true });
  scan();
  assert.equal(lists.length, 0);
  copyFileSync(hours[1], at('1.vdx'));
  copyFileSync(hours[2], at('2.vdx'));
  writeFileSync(at('bad.vdx'), 'not a snapshot');
  scan();
  scan();
  assert.equal(lists.length, 1, 'once, as nothing has changed since');
  assert.deepEqual(
    lists[0].map(({ file, bytes }) => [file, bytes]),
    [
      ['2.vdx', statSync(hours[2]).size],
      ['1.vdx', statSync(hours[1]).size],
    ],
  );
  assert.equal(lists[0][0].id, swap.current()?.id);
  rmSync(at('2.vdx'));
  scan();
  assert.deepEqual(pluck(lists[1], 'file'), ['1.vdx']);
});
