// One writer at a time, through a lock file next to the file: the process that creates `<file>.lock` may
// read, change and replace the file, and then removes the lock.
//
//     <file>.lock    process id, host, token; written again every few seconds for as long as it is held
//
// A lock that nobody writes any more is abandoned, and the next command takes it over. Process ids and host
// names are for messages only: in two containers both can be the same. Times are the file system's, since the
// clocks of two machines that share a folder may differ. A holder that was stopped for so long learns of it
// by `requireHeld`, which is to be called right before anything is made permanent.
//
// `proper-lockfile` makes a folder of that name, which a lock of release 0.1 would block for ever; it
// compares the clocks of two machines, and of two commands that find an abandoned lock the slower one can
// remove the lock of the faster.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryPath } from './temporary-file.ts';

const WAIT_MS = 5000;
const RETRY_MS = 20;
const BEAT_MS = 5000;
/** Compiling blocks the event loop for seconds, and a busy machine for more. */
const ABANDONED_MS = 60_000;
/** For locks of release 0.1, which wrote them once; none of its commands ran this long. */
const UNBEATEN_ABANDONED_MS = 3_600_000;

export class LockedError extends Error {
  override readonly name = 'LockedError';
}

export interface LockOptions {
  readonly waitMs?: number;
  /** Gets a line if an abandoned lock was removed. */
  readonly report?: (line: string) => void;
}

/**
 * Runs the action while holding the lock of the file, which need not exist. Throws LockedError if the lock is
 * not free within `waitMs`.
 */
export async function withFileLock<T>(
  file: string,
  action: (lock: HeldLock) => Promise<T>,
  { waitMs = WAIT_MS, report = () => {} }: LockOptions = {},
): Promise<T> {
  // Two names of one file must share one lock.
  const lock = await acquire(`${await realpath(file).catch(() => file)}.lock`, waitMs, report);
  try {
    return await action(lock);
  } finally {
    lock.release();
  }
}

/** A lock of this process. */
export class HeldLock {
  readonly #path: string;
  readonly #fd: number;
  readonly #text: string;
  readonly #beats: NodeJS.Timeout;

  private constructor(path: string, fd: number, text: string) {
    this.#path = path;
    this.#fd = fd;
    this.#text = text;
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** Undefined if there is a lock already. */
  static take(path: string): HeldLock | undefined {
    const fd = unless('EEXIST', () => openSync(path, 'wx', 0o600));
    if (fd === undefined) return undefined;
    try {
      const text = `${process.pid} ${hostname()} ${randomUUID()}\n`;
      writeSync(fd, text, 0);
      return new HeldLock(path, fd, text);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
  }

  /** Throws LockedError if another command has taken the lock over. */
  requireHeld(): void {
    if (this.#isHeld()) return;
    throw new LockedError(
      `${this.#path} was taken over by another command, as this one had stopped for a minute; try again`,
    );
  }

  /** Also for a handler of signals, before the process ends. */
  release(): void {
    clearInterval(this.#beats);
    if (this.#isHeld()) rmSync(this.#path, { force: true });
    closeSync(this.#fd);
  }

  #isHeld(): boolean {
    return inspect(this.#path)?.text === this.#text;
  }

  #beat(): void {
    try {
      writeSync(this.#fd, this.#text, 0); // by its descriptor: the path may be another command's by now
    } catch {
      // it then counts as abandoned, which `requireHeld` finds out
    }
  }
}

async function acquire(path: string, waitMs: number, report: (line: string) => void): Promise<HeldLock> {
  const deadline = performance.now() + waitMs;
  let aheadMs: number | undefined; // the file system's clock, of ours
  for (;;) {
    const lock = HeldLock.take(path);
    if (lock !== undefined) return lock;
    const holder = inspect(path);
    if (holder !== undefined) {
      aheadMs ??= fileTimeMs(dirname(path)) - performance.now();
      if (isAbandoned(holder, performance.now() + aheadMs) && removeLock(path, holder)) {
        report(`warning: removed ${path}, whose holder has ended`);
        continue;
      }
    }
    if (performance.now() >= deadline) throw new LockedError(heldBy(path, holder));
    await sleep(RETRY_MS);
  }
}

interface Holder {
  /**
   * `<process id> <host> <token>`; without a token of release 0.1, and '' of a command that is just creating
   * it.
   */
  readonly text: string;
  readonly mtimeMs: number;
}

/** Undefined if the lock is free. Opened each time: a network file system may show old times otherwise. */
function inspect(path: string): Holder | undefined {
  const fd = unless('ENOENT', () => openSync(path, 'r'));
  if (fd === undefined) return undefined;
  try {
    return { text: readFileSync(fd, 'utf8'), mtimeMs: fstatSync(fd).mtimeMs };
  } finally {
    closeSync(fd);
  }
}

/** A time ahead of the clock counts too: the clock was set back, and nobody has written the lock since. */
function isAbandoned({ text, mtimeMs }: Holder, nowMs: number): boolean {
  const isBeaten = text.split(' ').length === 3;
  return Math.abs(nowMs - mtimeMs) > (isBeaten ? ABANDONED_MS : UNBEATEN_ABANDONED_MS);
}

/** Whether it was still the lock of that holder. Of several commands that try, one succeeds. */
function removeLock(path: string, holder: Holder): boolean {
  const aside = temporaryPath(dirname(path), 'locking');
  if (unless('ENOENT', () => renameSync(path, aside) ?? true) === undefined) return false;
  try {
    if (readFileSync(aside, 'utf8') === holder.text) return true;
    // Another command was faster, and this is its new lock. If a third has one by now, it notices when it
    // needs its own.
    unless('EEXIST', () => linkSync(aside, path));
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** What the file system thinks the time is. */
function fileTimeMs(folder: string): number {
  const path = temporaryPath(folder, 'locking');
  const fd = openSync(path, 'wx', 0o600);
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
    rmSync(path, { force: true });
  }
}

function heldBy(path: string, holder: Holder | undefined): string {
  const [pid = '', host] = holder?.text.trim().split(' ') ?? [];
  const by = host === undefined ? 'another command' : `process ${pid} on ${host}`;
  return `${path} is held by ${by}; wait for it: the lock is free a minute after its holder has ended`;
}

function unless<T>(code: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}
