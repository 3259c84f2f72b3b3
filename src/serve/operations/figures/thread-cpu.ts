// The CPU time of a thread, as the kernel counts it. Node's own figures do not serve: the addon
// polls inside the event loop, so that its utilization says nothing, and a thread that hangs
// could not report any. Linux only.

import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** The kernel's number of the calling thread; 0 where there is none. */
export function ownThreadId(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0; // no such file outside Linux
  }
}

/** Seconds of CPU that a thread of this process has used; undefined if it cannot be known. */
export function threadCpuSeconds(threadId: number): number | undefined {
  if (threadId === 0) return undefined;
  try {
    // Nanoseconds on a core, nanoseconds of waiting for one, time slices.
    const [spent] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'latin1').split(' ');
    return Number(spent) / 1e9;
  } catch {
    return undefined; // the thread has ended, no descriptor is free, or the kernel does not count
  }
}

/** The share of a core that a thread used between two calls. */
export class CpuMeter {
  #threadId = 0;
  #seconds: number | undefined;
  #atMs = 0;
  readonly #read: (threadId: number) => number | undefined;

  constructor(read: (threadId: number) => number | undefined = threadCpuSeconds) {
    this.#read = read;
  }

  /** From 0 to 1; undefined at first, after the thread was replaced, and where it cannot be known. */
  share(threadId: number, nowMs: number): number | undefined {
    const seconds = this.#read(threadId);
    const elapsed = (nowMs - this.#atMs) / 1000;
    const isSame = threadId === this.#threadId;
    const before = this.#seconds;
    this.#threadId = threadId;
    this.#seconds = seconds;
    this.#atMs = nowMs;
    if (!isSame || seconds === undefined || before === undefined || elapsed <= 0) return undefined;
    return Math.min(1, Math.max(0, (seconds - before) / elapsed));
  }
}
