import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { removeDeadLock, withFileLock } from '../../src/files/lock-file.ts';
import { PATIENCE_MS } from '../support/until.ts';

const NO_PROCESS = 2 ** 22 + 1; // above the highest process id on Linux

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vulndex-lock-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test('two holders never overlap, even through two names of one file', async (t) => {
  const dir = await folder(t);
  const file = join(dir, 'file');
  await writeFile(file, '');
  await symlink(file, join(dir, 'link'));
  let inside = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    const others = ['file', 'link'].map((name) => withFileLock(join(dir, name), assert.fail, 0));
    await Promise.all(others.map((other) => assert.rejects(other, { name: 'LockedError' })));
    assert.equal(inside, 1);
    inside -= 1;
  };
  await Promise.all(['file', 'link', 'file', 'link'].map((name) => withFileLock(join(dir, name), work)));
  assert.deepEqual(await readdir(dir), ['file', 'link']);
});

test('the lock is released when the action fails', async (t) => {
  const file = join(await folder(t), 'file');
  const fail = async (): Promise<never> => {
    throw new Error('no');
  };
  await assert.rejects(withFileLock(file, fail), { message: 'no' });
  assert.equal(await withFileLock(file, async () => 1), 1);
});

test('a lock of a dead process is reported at once, and left for a person to remove', {
  timeout: PATIENCE_MS, // it is given for ever
}, async (t) => {
  const file = join(await folder(t), 'file');
  await writeFile(`${file}.lock`, `${NO_PROCESS} ${hostname()}\n`);
  const message = `${file}.lock was left behind by process ${NO_PROCESS}, which is no longer running; remove it and try again`;
  await assert.rejects(
    withFileLock(file, async () => 1, Number.POSITIVE_INFINITY),
    { name: 'LockedError', message },
  );
});

test('a lock that is not released ends the wait with an error that names its holder', async (t) => {
  const file = join(await folder(t), 'file');
  await writeFile(`${file}.lock`, `${process.pid} ${hostname()}\n`);
  const own = { name: 'LockedError', message: new RegExp(`held by process ${process.pid} on `) };
  await assert.rejects(
    withFileLock(file, async () => 1, 50),
    own,
  );
  await writeFile(`${file}.lock`, `${NO_PROCESS} another-host.invalid\n`);
  await assert.rejects(
    withFileLock(file, async () => 1, 50),
    { message: /on another-host\.invalid; wait for it/ },
  );
  await writeFile(`${file}.lock`, '');
  await assert.rejects(
    withFileLock(file, async () => 1, 50),
    { message: /held by another command/ },
  );
});

test('a command that runs unattended removes the lock of a dead process, once, and no other', async (t) => {
  const dir = await folder(t);
  const file = join(dir, 'file');
  const lock = `${file}.lock`;
  assert.equal(await removeDeadLock(file), false, 'there is none');
  await writeFile(lock, `${NO_PROCESS} ${hostname()}\n`);
  const removals = await Promise.all(Array.from({ length: 8 }, () => removeDeadLock(file)));
  assert.equal(removals.filter((isRemoved) => isRemoved).length, 1);
  assert.deepEqual(await readdir(dir), []);
  // The first process of a container often has the number that its predecessor had.
  await writeFile(lock, `${process.pid} ${hostname()}\n`);
  assert.equal(await removeDeadLock(file), true);
  for (const holder of [`${process.ppid} ${hostname()}`, `${NO_PROCESS} another-host.invalid`, '']) {
    await writeFile(lock, holder);
    assert.equal(await removeDeadLock(file), false, holder);
  }
  await rm(lock);
  await withFileLock(file, async () => assert.equal(await removeDeadLock(file), false, 'it is ours'));
});

test('while one command removes a dead lock, another does not', async (t) => {
  const file = join(await folder(t), 'file');
  await writeFile(`${file}.lock`, `${NO_PROCESS} ${hostname()}\n`);
  await writeFile(`${file}.lock.removing`, '');
  assert.equal(await removeDeadLock(file), false);
});
