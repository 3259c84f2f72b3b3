// One writer at a time, by a lock file beside the file: whoever creates `<file>.lock` may read, change and replace
// the file, and removes the lock after. A lock left behind is never broken here, as two commands could then both
// think they did it; the message says when removing it is safe.

import { open, readFile, realpath, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 5000;
const RETRY_MS = 20;

export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/** Runs the action while holding the file's lock. Throws LockedError when it is not free within `waitMs`. */
export async function withFileLock<T>(file: string, action: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  // Two names of one file must meet at one lock.
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  await acquire(lock, waitMs);
  try {
    return await action();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      // Signed for the message only; on a full disk the empty lock does as well.
      await handle.writeFile(`${process.pid} ${hostname()}\n`).catch(() => {});
      await handle.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(lock);
    const [pid = '', host] = holder.split(' ');
    // A holder that is gone will not come back, so waiting for it is no use; a process of another host cannot be
    // asked. Read again, as the holder may have given the lock back and ended between the two questions.
    if (host === hostname() && !isRunning(Number(pid)) && (await readHolder(lock)) === holder) {
      throw new LockedError(
        `${lock} was left behind by process ${pid}, which no longer runs; remove it and try again`,
      );
    }
    if (performance.now() >= deadline) {
      const by = holder === '' ? 'another command' : `process ${pid} on ${host}`;
      throw new LockedError(
        `${lock} is held by ${by}; wait for it, or remove the lock if no such command runs`,
      );
    }
    await sleep(RETRY_MS);
  }
}

/** `<process id> <host>`, or '' while the lock is free or not yet signed. */
async function readHolder(lock: string): Promise<string> {
  return (await readFile(lock, 'utf8').catch(() => '')).trim();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only asks
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
