import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { HotSwap } from '../../src/loader/hot-swap.ts';
import { feedRecord } from '../support/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BUILT_AT_MS, compileRecords, readBytes, withFlippedBit } from '../support/snapshots.ts';

const HOUR_MS = 3_600_000;

// Snapshots to be copied from: built at 1, 2 and 3 o'clock; two of the same time differ in their ids.
const stock = temporaryFolder({ after });
const hours: string[] = [];
const twins: string[] = [];

before(async () => {
  for (const hour of [1, 2, 3]) {
    const options = { name: `hour-${hour}.vdx`, builtAtMs: BUILT_AT_MS + hour * HOUR_MS };
    hours[hour] = await compileRecords(stock, [feedRecord(hour)], options);
  }
  for (const id of [8, 9])
    twins.push(await compileRecords(stock, [feedRecord(id)], { name: `twin-${id}.vdx` }));
});

/** A folder followed by hand: `scan` looks once, as the timer would. */
function followed(t: TestContext) {
  const folder = join(temporaryFolder(t), 'snapshots');
  mkdirSync(folder);
  const events: string[] = [];
  const swap = new HotSwap(folder, {
    onLoaded: (_, file) => events.push(`loaded ${basename(file)}`),
    onRefused: (error, file) => events.push(`refused ${basename(file)}: ${codeOf(error)}`),
    onOlder: (file) => events.push(`older ${basename(file)}`),
    onFolder: (error) => events.push(error === undefined ? 'folder back' : 'folder gone'),
  });
  const look = (judgesFresh: boolean): string[] => {
    swap.scan({ judgesFresh });
    return events.splice(0);
  };
  return {
    folder,
    swap,
    at: (name: string) => join(folder, name),
    /** What happened in one look of the timer. */
    scan: () => look(false),
    /** What happened in one look at the start or after SIGHUP. */
    scanAtOnce: () => look(true),
    /** The id of the only advisory in force. */
    served: () => swap.current()?.idAt(0),
  };
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message;
}

describe('the newest snapshot', () => {
  it('is the one built last, whatever its name and the time of its file', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    copyFileSync(hours[3], at('a.vdx'));
    copyFileSync(hours[1], at('z.vdx'));
    utimesSync(at('a.vdx'), 1, 1);
    assert.deepEqual(scanAtOnce(), ['loaded a.vdx', 'older z.vdx']);
    assert.equal(served(), 3);
  });

  it('of two built at the same time is the one with the greater id', (t) => {
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

  it('is looked for among files that end in .vdx and do not begin with a dot', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    for (const name of ['.hidden.vdx', 'x.vdx.tmp', 'README.md']) copyFileSync(hours[3], at(name));
    assert.deepEqual(scanAtOnce(), []);
    assert.equal(served(), undefined);
  });

  it('in an empty folder is none, and that is no complaint', (t) => {
    assert.deepEqual(followed(t).scanAtOnce(), []);
  });

  it('is not loaded again under another name', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    copyFileSync(hours[2], at('a.vdx'));
    scanAtOnce();
    copyFileSync(hours[2], at('b.vdx'));
    assert.deepEqual(scanAtOnce(), []);
    assert.equal(served(), 2);
  });
});

describe('a new file', () => {
  it('that was renamed in is loaded with the second look at it, for the first cannot know it is whole', (t) => {
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

  it('is loaded at the first look when asked to judge at once', (t) => {
    const { at, scanAtOnce } = followed(t);
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual(scanAtOnce(), ['loaded 1.vdx']);
  });

  it('that is slowly copied in place is let be while it grows, and loaded when it is whole', (t) => {
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

  it('whose copy stalls is refused once and still loaded when it is whole', (t) => {
    const { at, scan } = followed(t);
    const bytes = readBytes(hours[2]);
    writeFileSync(at('2.vdx'), bytes.subarray(0, 1000));
    assert.deepEqual([scan(), scan(), scan()], [[], ['refused 2.vdx: truncated'], []]);
    appendFileSync(at('2.vdx'), bytes.subarray(1000));
    assert.deepEqual([scan(), scan(), scan()], [[], ['loaded 2.vdx'], []]);
  });

  it('that is older than what is in force is told of once', (t) => {
    const { at, scan, scanAtOnce, served } = followed(t);
    copyFileSync(hours[2], at('2.vdx'));
    scanAtOnce();
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual([scan(), scan(), scan(), scanAtOnce()], [[], ['older 1.vdx'], [], []]);
    assert.equal(served(), 2);
  });

  it('under the name of another replaces it when it is newer, and is told of when it is older', (t) => {
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
});

describe('a file that is refused', () => {
  it('leaves what is in force, and is not judged again until it changes', (t) => {
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

  it('gives way to the next newest that is sound', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    const bytes = readBytes(hours[3]);
    writeFileSync(at('3.vdx'), withFlippedBit(bytes, bytes.length - 9));
    copyFileSync(hours[2], at('2.vdx'));
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual(scanAtOnce(), ['refused 3.vdx: checksum-mismatch', 'loaded 2.vdx', 'older 1.vdx']);
    assert.equal(served(), 2);
  });

  it('does not keep others from being loaded: a foreign file, an empty one, a folder, a link to itself', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    writeFileSync(at('text.vdx'), 'hello');
    writeFileSync(at('empty.vdx'), '');
    mkdirSync(at('folder.vdx'));
    symlinkSync('loop.vdx', at('loop.vdx'));
    symlinkSync('nowhere', at('nowhere.vdx'));
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual(scanAtOnce().sort(), [
      'loaded 1.vdx',
      'refused empty.vdx: truncated',
      'refused folder.vdx: unreadable',
      'refused loop.vdx: unreadable',
      'refused text.vdx: foreign-file',
    ]);
    assert.deepEqual(scanAtOnce(), []);
    assert.equal(served(), 1);
  });
});

describe('what goes away', () => {
  it('unloads nothing when it is the file in force, and an older one does not take its place', (t) => {
    const { at, scanAtOnce, served } = followed(t);
    copyFileSync(hours[2], at('2.vdx'));
    scanAtOnce();
    rmSync(at('2.vdx'));
    assert.deepEqual(scanAtOnce(), []);
    assert.equal(served(), 2);
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual(scanAtOnce(), ['older 1.vdx']);
    assert.equal(served(), 2);
  });

  it('is told of once when it is the folder, and once more when that is back', (t) => {
    const { folder, at, scan, scanAtOnce, served } = followed(t);
    copyFileSync(hours[1], at('1.vdx'));
    scanAtOnce();
    renameSync(folder, `${folder}-away`);
    assert.deepEqual([scan(), scan()], [['folder gone'], []]);
    writeFileSync(folder, 'a file where the folder was');
    assert.deepEqual([scan(), scan()], [['folder gone'], []]); // for another reason, so it is told
    assert.equal(served(), 1);
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
    copyFileSync(hours[2], at('2.vdx'));
    assert.deepEqual([scan(), scan(), scan()], [['folder back'], ['loaded 2.vdx'], []]);
    assert.equal(served(), 2);
  });

  it('may be missing from the start', (t) => {
    const { folder, at, scanAtOnce } = followed(t);
    rmSync(folder, { recursive: true });
    assert.deepEqual(scanAtOnce(), ['folder gone']);
    mkdirSync(folder);
    copyFileSync(hours[1], at('1.vdx'));
    assert.deepEqual(scanAtOnce(), ['folder back', 'loaded 1.vdx']);
  });
});

it('once started it loads what is there and goes on looking until it is stopped', async (t) => {
  const { at, swap, served } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  swap.start(5);
  assert.equal(served(), 1);
  copyFileSync(hours[2], at('2.vdx'));
  const deadlineMs = performance.now() + 10_000;
  while (served() === 1) {
    assert.ok(performance.now() < deadlineMs, 'the second snapshot is not taken up');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  swap.stop();
  copyFileSync(hours[3], at('3.vdx'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(served(), 2);
});

it('a generation in force is one and the same until a newer one replaces it', (t) => {
  const { at, swap, scanAtOnce } = followed(t);
  copyFileSync(hours[1], at('1.vdx'));
  scanAtOnce();
  const first = swap.current();
  scanAtOnce();
  assert.equal(swap.current(), first);
  copyFileSync(hours[2], at('2.vdx'));
  scanAtOnce();
  assert.notEqual(swap.current(), first);
  assert.equal(first?.idAt(0), 1); // whoever holds it goes on with it
});
