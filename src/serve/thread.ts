// Starting the threads of this process, and giving memory back in them.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

/**
 * A thread that runs the module of this folder with the given name, from sources as from the built package.
 * `youngMegabytes` bounds the memory for new objects, which V8 keeps once it has grown; without it V8 decides.
 */
export function startThread(name: string, workerData: unknown, youngMegabytes?: number): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
    workerData,
    ...(youngMegabytes === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
  });
}

/** Between the collections of two threads after a swap. */
export const COLLECT_MS = 200;

let collect: (() => void) | undefined;

/**
 * Collects this thread's garbage now. A generation is a handful of objects over hundreds of megabytes, so the
 * collector sees no reason to look, and the memory of the one before would stay until it did.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/**
 * The same once the caller and its callers have returned: a frame on the stack keeps what its variables hold. Threads
 * that share a generation ask for different delays: a collection has helpers, and those of several threads at once
 * on few cores made each take 20 ms instead of 4.
 */
export function collectGarbageAfter(delayMs: number): void {
  setTimeout(collectGarbage, delayMs).unref();
}
