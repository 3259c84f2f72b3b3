import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withFileLock } from '../../src/files/lock-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const MINUTE_MS = 60_000;
const TOKEN = '0a1b2c3d-0000-4000-8000-0123456789ab';

interface Scene {
  readonly folder: string;
  readonly file: string;
  readonly lock: string;
  /** A lock that was last written this long ago. */
  put(text: string, ageMs?: number): void;
  /** What was reported, once the lock could be had; a refusal rejects. */
  tryLock(): Promise<readonly string[]>;
}

function makeScene(t: TestContext): Scene {
  const folder = temporaryFolder(t);
  const file = join(folder, 'file');
  const lock = `${file}.lock`;
  return {
    ...{ folder, file, lock },
    put: (text, ageMs = 0) => {
      writeFileSync(lock, text);
      setAge(lock, ageMs);
    },
    tryLock: async () => {
      const reported: string[] = [];
      const report = (line: string): number => reported.push(line);
      await withFileLock(file, async () => {}, { waitMs: 0, report });
      return reported;
    },
  };
}

function setAge(path: string, ageMs: number): void {
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(path, seconds, seconds);
}

test('two holders never overlap, even through two names of one file', async (t) => {
  const { folder, file } = makeScene(t);
  writeFileSync(file, '');
  symlinkSync(file, join(folder, 'link'));
  let inside = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    const others = ['file', 'link'].map((name) =>
      withFileLock(join(folder, name), async () => assert.fail(), { waitMs: 0 }),
    );
    await Promise.all(others.map((other) => assert.rejects(other, { name: 'LockedError' })));
    assert.equal(inside, 1);
    inside -= 1;
  };
  await Promise.all(['file', 'link', 'file', 'link'].map((name) => withFileLock(join(folder, name), work)));
  assert.deepEqual(readdirSync(folder), ['file', 'link']);
});

test('the lock is released when the action fails', async (t) => {
  const { file, tryLock } = makeScene(t);
  const fail = async (): Promise<never> => {
    throw new Error('no');
  };
  await assert.rejects(withFileLock(file, fail), { message: 'no' });
  assert.deepEqual(await tryLock(), []);
});

test('a lock that is not released ends the wait with an error that names its holder', async (t) => {
  const { lock, put, tryLock } = makeScene(t);
  const free = 'wait for it: the lock is free a minute after its holder has ended';
  for (const [text, by] of [
    [`17 another-host.invalid ${TOKEN}\n`, 'process 17 on another-host.invalid'],
    ['', 'another command'],
  ]) {
    put(text);
    await assert.rejects(tryLock(), { name: 'LockedError', message: `${lock} is held by ${by}; ${free}` });
  }
});

test('a lock that was just written is held, whatever its process id and host name are here', async (t) => {
  const { put, tryLock } = makeScene(t);
  // The first process of each container has the same number, and a CronJob may pin the name of its host.
  for (const pid of [process.pid, 2 ** 22 + 1]) {
    put(`${pid} ${hostname()} ${TOKEN}\n`, MINUTE_MS / 2);
    await assert.rejects(tryLock(), { name: 'LockedError' });
  }
});

test('a lock that nobody has written for a minute is taken over, whatever its process id and host name are', async (t) => {
  const { folder, lock, put, tryLock } = makeScene(t);
  // A time in the future is from before the clock was set back.
  for (const ageMs of [2 * MINUTE_MS, -2 * MINUTE_MS]) {
    for (const holder of [`${process.ppid} ${hostname()}`, '17 another-host.invalid']) {
      put(`${holder} ${TOKEN}\n`, ageMs);
      assert.deepEqual(await tryLock(), [`warning: removed ${lock}, whose holder has ended`]);
    }
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock of release 0.1, which wrote it only once, is taken over after an hour', async (t) => {
  const { put, tryLock } = makeScene(t);
  for (const text of [`${process.pid} ${hostname()}\n`, '']) {
    put(text, 30 * MINUTE_MS);
    await assert.rejects(tryLock(), { name: 'LockedError' });
    put(text, 61 * MINUTE_MS);
    assert.equal((await tryLock()).length, 1);
  }
});

test('of several commands that find an abandoned lock one takes it over, and the others wait for that one', async (t) => {
  const { folder, file, put } = makeScene(t);
  put(`17 another-host.invalid ${TOKEN}\n`, 2 * MINUTE_MS);
  const reported: string[] = [];
  let inside = 0;
  const work = async (): Promise<void> => {
    assert.equal(++inside, 1);
    await Promise.resolve();
    inside--;
  };
  const report = (line: string): number => reported.push(line);
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, work, { report })));
  assert.equal(reported.length, 1);
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock is written again for as long as it is held', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { file, lock, tryLock } = makeScene(t);
  await withFileLock(file, async () => {
    setAge(lock, 2 * MINUTE_MS);
    t.mock.timers.tick(5000);
    assert.ok(Date.now() - statSync(lock).mtimeMs < MINUTE_MS);
    await assert.rejects(tryLock(), { name: 'LockedError' });
  });
});

test('a holder that was stopped for too long learns that its lock was taken over, and leaves that alone', async (t) => {
  const { file, lock, put } = makeScene(t);
  const theirs = `17 another-host.invalid ${TOKEN}\n`;
  await withFileLock(file, async (held) => {
    held.requireHeld();
    rmSync(lock);
    assert.throws(() => held.requireHeld(), {
      name: 'LockedError',
      message: `${lock} was taken over by another command, as this one had stopped for a minute; try again`,
    });
    put(theirs);
    assert.throws(() => held.requireHeld(), { name: 'LockedError' });
  });
  assert.equal(readFileSync(lock, 'utf8'), theirs);
});
