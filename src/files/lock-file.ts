// One writer at a time, through a lock file next to the file: the process that creates `<file>.lock` may read, change and
// replace the file, and then removes the lock. A stale lock is never broken here, as two commands could then both believe
// they hold it; the message says when it is safe to remove it.

import { open, readFile, realpath, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from './is-running.ts';

const WAIT_MS = 5000;
const RETRY_MS = 20;

/** Locks of this process. */
const held = new Set<string>();

export class LockedError extends Error {
  override readonly name = 'LockedError';
}

/**
 * Runs the action while holding the lock of the file, which need not exist. The action gets the path of the lock, for
 * what must remove it if a signal ends the process. Throws LockedError if the lock is not free within `waitMs`.
 */
export async function withFileLock<T>(
  file: string,
  action: (lock: string) => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  // Two names of one file must share one lock.
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  await acquire(lock, waitMs);
  held.add(lock);
  try {
    return await action(lock);
  } finally {
    held.delete(lock);
    await rm(lock, { force: true });
  }
}

/**
 * Removes the lock of a file if a process on this machine left it behind, as one that was killed does; for commands that
 * run unattended. Two of them cannot both remove it: the one that does holds a lock for that. Returns whether it did.
 */
export async function removeDeadLock(file: string): Promise<boolean> {
  const lock = `${await realpath(file).catch(() => file)}.lock`;
  if (!(await isDead(lock))) return false;
  const guard = `${lock}.removing`;
  try {
    await (await open(guard, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    if (!(await isDead(lock))) return false; // removed meanwhile, and perhaps taken again
    await rm(lock, { force: true });
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

/** Whether its holder ran on this machine and has ended. */
async function isDead(lock: string): Promise<boolean> {
  const [pid = '', host] = (await readHolder(lock)).split(' ');
  if (host !== hostname()) return false;
  // In a container the numbers of processes begin anew, so an earlier holder may have had our own.
  return Number(pid) === process.pid ? !held.has(lock) : !isRunning(Number(pid));
}

async function acquire(lock: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      // The contents are only for the message; on a full disk an empty lock works as well.
      await handle.writeFile(`${process.pid} ${hostname()}\n`).catch(() => {});
      await handle.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(lock);
    const [pid = '', host] = holder.split(' ');
    // Waiting for a dead holder is pointless; a process on another host cannot be checked. Read again, as the holder
    // may have released the lock and ended between the two checks.
    if (host === hostname() && !isRunning(Number(pid)) && (await readHolder(lock)) === holder) {
      throw new LockedError(
        `${lock} was left behind by process ${pid}, which is no longer running; remove it and try again`,
      );
    }
    if (performance.now() >= deadline) {
      const by = holder === '' ? 'another command' : `process ${pid} on ${host}`;
      throw new LockedError(
        `${lock} is held by ${by}; wait for it, or remove the lock if no such command is running`,
      );
    }
    await sleep(RETRY_MS);
  }
}

/** `<process id> <host>`, or '' while the lock is free or still empty. */
async function readHolder(lock: string): Promise<string> {
  return (await readFile(lock, 'utf8').catch(() => '')).trim();
}
