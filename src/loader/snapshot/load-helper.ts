// A second thread for the load of a large file: it fills the sections of blocks while it computes the content
// hash, and then takes checks of columns. Nothing depends on whether that thread starts, keeps running or
// ends.
//
//   loading thread   reads the index | checks, from the first on ................| goes live
//   helper           reads and hashes the file .......| checks, from the last on |

import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { HASH_BYTES } from '../format.ts';
import { contentHash, type Filled } from './content-hash.ts';
import { allocateChecks, helpWithChecks, shareChecks } from './shared-checks.ts';
import { CHECKS, type ShareChecks } from './verify.ts';
import { viewColumns } from './view-columns.ts';

/** A smaller file is loaded before a thread would have started. */
const HELPED_BYTES = 64 << 20;
/** How long the hash of a gigabyte takes without support by the CPU, from a slow disk. */
const PATIENCE_MS = 60_000;
/** V8's default is several times this, and held while the thread lives. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };

export interface LoadJob {
  /** A thread may use the descriptors of its process. Stays open until the hash is there. */
  readonly fd: number;
  readonly totalBytes: number;
  /** By whoever computes the hash. */
  readonly filled: readonly Filled[];
  /** Filled by the loading thread. */
  readonly index: SharedArrayBuffer;
}

/** What a helper thread gets. */
export interface HelperJob extends LoadJob {
  /** In shared memory: the state of the hash, and that of the index. */
  readonly states: Int32Array;
  /** In shared memory, written before the hash is done. */
  readonly digest: Uint8Array;
  readonly checks: Int32Array;
}

const HASH = 0;
const INDEX = 1;

const FREE = 0;
const TAKEN = 1;
const DONE = 2;
/** Of the index: nobody needs help with it. */
const UNUSED = 3;

export class LoadHelper {
  readonly #job: HelperJob;

  constructor(job: LoadJob) {
    this.#job = {
      ...job,
      states: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
      digest: new Uint8Array(new SharedArrayBuffer(HASH_BYTES)),
      checks: allocateChecks(CHECKS.length),
    };
    startThread(this.#job);
  }

  /** Not for the server's loader after its first load, which leaves the other cores to the workers. */
  static isWorth(totalBytes: number): boolean {
    return totalBytes >= HELPED_BYTES && !hasLowPriority();
  }

  /** Does the checks of columns together with the helper. Requires: the index was read. */
  readonly share: ShareChecks = (check) => {
    this.#tellIndex(DONE);
    shareChecks(this.#job.checks, check);
  };

  /**
   * The hash. Waits for the helper thread, or computes it if that has not begun. Called once. Throws the
   * system's errors.
   */
  digest(): Buffer {
    const { states, digest } = this.#job;
    if (Atomics.compareExchange(states, HASH, FREE, TAKEN) === FREE) return hashOf(this.#job);
    Atomics.wait(states, HASH, TAKEN, PATIENCE_MS);
    return Atomics.load(states, HASH) === DONE ? Buffer.from(digest) : hashOf(this.#job);
  }

  /** The hash is not needed; afterwards the file may be closed. */
  abandon(): void {
    const { states } = this.#job;
    if (Atomics.compareExchange(states, HASH, FREE, TAKEN) === TAKEN) {
      Atomics.wait(states, HASH, TAKEN, PATIENCE_MS);
    }
  }

  /** Lets the thread end. */
  close(): void {
    this.#tellIndex(UNUSED);
  }

  #tellIndex(state: number): void {
    const { states } = this.#job;
    Atomics.compareExchange(states, INDEX, FREE, state);
    Atomics.notify(states, INDEX);
  }
}

/** All that the helper thread does. */
export function helpLoad(job: HelperJob): void {
  takeHash(job);
  const { states, index, checks } = job;
  Atomics.wait(states, INDEX, FREE, PATIENCE_MS);
  if (Atomics.load(states, INDEX) !== DONE) return;
  const columns = viewColumns(new Uint8Array(index));
  helpWithChecks(checks, (number) => CHECKS[number](columns));
}

/** Computes the hash unless another thread does. */
function takeHash(job: HelperJob): void {
  const { states, digest } = job;
  if (Atomics.compareExchange(states, HASH, FREE, TAKEN) !== FREE) return;
  try {
    digest.set(hashOf(job));
    Atomics.store(states, HASH, DONE);
  } catch {
    Atomics.store(states, HASH, FREE); // `digest` meets the same error, and reports it
  }
  Atomics.notify(states, HASH);
}

function hashOf({ fd, totalBytes, filled }: LoadJob): Buffer {
  return contentHash(fd, totalBytes, filled);
}

function hasLowPriority(): boolean {
  try {
    return getPriority() > 0; // on Linux, of this thread only
  } catch {
    return false; // a system call filter may refuse this
  }
}

/** From sources the thread ends before it has done anything. */
function startThread(job: HelperJob): void {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    const url = new URL(`./load-helper-thread.${extension}`, import.meta.url);
    const helper = new Worker(url, { workerData: job, resourceLimits: HELPER_LIMITS });
    helper.on('error', () => {}); // the loading thread does what the helper has not
    helper.unref();
  } catch {
    // The process is at its thread limit.
  }
}
