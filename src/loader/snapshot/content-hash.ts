// The content hash of a snapshot. Of a large file a helper thread computes it while its columns are verified.
// Nothing depends on whether that thread starts, keeps running or ends.

import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { HASH_BYTES, HASH_OFFSET } from '../format.ts';

const READ_BYTES = 256 << 10; // small enough to be hashed while still in the CPU cache
/** Of a smaller file the hash is there before a thread would have started. */
const HELPED_BYTES = 64 << 20;
/** How long the hash of a gigabyte takes without support by the CPU, from a slow disk. */
const PATIENCE_MS = 60_000;
/** V8's default is several times this, and held while the thread lives. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

/** What a helper thread gets. */
export interface HashJob {
  /** A thread may use the descriptors of its process. */
  readonly fd: number;
  readonly totalBytes: number;
  /** One number in shared memory: one of the states below. */
  readonly state: Int32Array;
  /** In shared memory, written before the state becomes DONE. */
  readonly digest: Uint8Array;
}

const FREE = 0;
const TAKEN = 1;
const DONE = 2;

export class ContentHash {
  readonly #job: HashJob;
  /** Whether another thread was started for it. */
  readonly isHelped: boolean;

  /** A helper thread is used from `helpedBytes` on. Requires: the file stays open until `digest` returns. */
  constructor(fd: number, totalBytes: number, helpedBytes = HELPED_BYTES) {
    this.#job = {
      fd,
      totalBytes,
      state: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
      digest: new Uint8Array(new SharedArrayBuffer(HASH_BYTES)),
    };
    this.isHelped = totalBytes >= helpedBytes && !hasLowPriority() && startHelper(this.#job);
  }

  /**
   * Waits for the helper thread, or computes the hash if that has not begun. Called once. Throws the system's
   * errors.
   */
  digest(): Buffer {
    const { state, digest } = this.#job;
    if (Atomics.compareExchange(state, 0, FREE, TAKEN) === FREE) return hashOf(this.#job);
    Atomics.wait(state, 0, TAKEN, PATIENCE_MS);
    return Atomics.load(state, 0) === DONE ? Buffer.from(digest) : hashOf(this.#job);
  }

  /** The hash is not needed; afterwards the file may be closed. */
  abandon(): void {
    const { state } = this.#job;
    if (Atomics.compareExchange(state, 0, FREE, TAKEN) === TAKEN) Atomics.wait(state, 0, TAKEN, PATIENCE_MS);
  }
}

/** Computes the hash unless another thread does. */
export function takeHashJob(job: HashJob): void {
  const { state, digest } = job;
  if (Atomics.compareExchange(state, 0, FREE, TAKEN) !== FREE) return;
  try {
    digest.set(hashOf(job));
    Atomics.store(state, 0, DONE);
  } catch {
    Atomics.store(state, 0, FREE); // `digest` meets the same error, and reports it
  }
  Atomics.notify(state, 0);
}

/** Of all bytes but those of the hash in the header. A file that ends early has another hash. */
function hashOf({ fd, totalBytes }: HashJob): Buffer {
  const hash = createHash('sha256');
  const part = new Uint8Array(READ_BYTES);
  for (let at = 0; at < totalBytes; ) {
    const count = readSync(fd, part, 0, Math.min(READ_BYTES, totalBytes - at), at);
    if (count === 0) break;
    const bytes = part.subarray(0, count);
    if (at > HASH_OFFSET) hash.update(bytes);
    else hash.update(bytes.subarray(0, HASH_OFFSET)).update(bytes.subarray(HASH_OFFSET + HASH_BYTES));
    at += count;
  }
  return hash.digest();
}

/** Whether this is the server's loader after its first load, which leaves the other cores to the workers. */
function hasLowPriority(): boolean {
  try {
    return getPriority() > 0; // on Linux, of this thread only
  } catch {
    return false; // a system call filter may refuse this
  }
}

/**
 * False when the process is at its thread limit. From sources the thread ends before it has done anything.
 */
function startHelper(job: HashJob): boolean {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    const url = new URL(`./content-hash-thread.${extension}`, import.meta.url);
    const helper = new Worker(url, { workerData: job, resourceLimits: HELPER_LIMITS });
    helper.on('error', () => {}); // `digest` does what the helper has not
    helper.unref();
    return true;
  } catch {
    return false;
  }
}
