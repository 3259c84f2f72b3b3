// Starts the threads of this process, and frees memory in them.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

/** What a thread has of its own. */
interface ThreadOptions {
  /** Limits the memory for new objects, which V8 does not give back once grown; without it V8 decides. */
  readonly youngMegabytes?: number;
  /** Options of Node for this thread. */
  readonly flags?: readonly string[];
}

/**
 * A thread that runs the module at this path below this folder, both from sources and from the built package.
 */
export function startThread(
  name: string,
  workerData: unknown,
  { youngMegabytes, flags }: ThreadOptions = {},
): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const start = (execArgv: readonly string[] | undefined): Worker =>
    new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
      workerData,
      ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
      ...(youngMegabytes === undefined
        ? {}
        : { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
    });
  if (flags === undefined) return start(undefined);
  try {
    return start([...process.execArgv, ...flags]);
  } catch (error) {
    // Options of the process, such as --max-old-space-size, hold for all threads
    // but may not be listed for one.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
    return start(flags);
  }
}

const TURN_MS = 150;
const TURNS = 8;

/** V8 begins when memory outside its heap has grown by 64 MiB. Nobody writes to this, so it takes none. */
const PRESSURE_BYTES = 80 << 20;
/** A collection takes some tens of milliseconds; if it is not over by then, V8 did not begin. */
const PATIENCE_MS = 2_000;

let forced: (() => void) | undefined;

/**
 * Collects this thread's garbage now. A generation is a handful of objects over hundreds of megabytes, so the
 * collector sees no reason to run, and the previous generation would stay in memory until it did.
 */
export function collectGarbage(): void {
  if (forced === undefined) {
    setFlagsFromString('--expose-gc');
    forced = runInNewContext('gc') as () => void;
  }
  forced();
}

/**
 * Begins to collect this thread's garbage in steps, between which requests are answered: `collectGarbage`
 * stops the thread for all of it. Node has no call for that: V8 is made to think that memory runs short.
 * Should that begin nothing, `collect` follows.
 */
export function beginCollection(collect: () => void = collectGarbage): void {
  const garbage = new WeakRef({});
  setImmediate(() => {
    // Not in this turn, for the rest of which a WeakRef holds its target itself.
    try {
      new ArrayBuffer(PRESSURE_BYTES);
    } catch {
      // The address space is limited: `collect` follows.
    }
  });
  setTimeout(() => {
    if (garbage.deref() !== undefined) collect();
  }, PATIENCE_MS).unref();
}

/**
 * Collects a serving thread's garbage after a swap or a change of keys. Up to eight threads take
 * turns, because a collection uses helper threads: those of several workers at once on two cores
 * made it take 20 ms instead of 5.
 */
export function collectGarbageInTurn(worker: number): void {
  collectGarbageAfter(TURN_MS * (1 + (worker % TURNS)));
}

/**
 * Collects the supervisor's garbage, last of all: the last to let go unmaps the memory, and
 * nothing waits for this thread.
 */
export function collectGarbageAtLast(): void {
  collectGarbageAfter(TURN_MS * (TURNS + 1));
}

let isCollectingSoon = false;

/**
 * Collects garbage as soon as the caller and its callers have returned: a stack frame keeps its
 * variables alive. Runs once for all calls until then, as thousands of bad files in one scan would
 * cause thousands of collections.
 */
export function collectGarbageSoon(collect: () => void = collectGarbage): void {
  if (isCollectingSoon) return;
  isCollectingSoon = true;
  setTimeout(() => {
    isCollectingSoon = false;
    collect();
  }, 0).unref();
}

function collectGarbageAfter(delayMs: number): void {
  setTimeout(beginCollection, delayMs).unref();
}
