// Asks about all packages: in batches, a few at a time. When the server says "later" or does not answer, all
// wait and then continue; what a batch has no room for is asked alone; a batch that is refused is split, so
// that one bad item costs no other.

import type { Item, ItemAnswer } from './answer.ts';

export const BATCH_ITEMS = 50;
export const LANES = 4;
const MAX_BATCH_BYTES = 60_000; // of 64 KiB that the server reads
/** Without the server's word on when to come back. */
const WAITS_SECONDS = [1, 2, 4, 8, 15, 30];

/** How a request ended without an answer. */
export type Failure =
  /** Not now; undefined seconds if the server did not say when. */
  | { readonly kind: 'later'; readonly seconds: number | undefined; readonly why: string }
  | { readonly kind: 'refused'; readonly code: string; readonly why: string }
  /** Nothing will be answered: no key, or not this key. */
  | { readonly kind: 'stop'; readonly why: string };

export interface Server {
  /** The answers in the order of the items. */
  readonly batch: (items: readonly Item[]) => Promise<readonly ItemAnswer[]>;
  readonly product: (item: Item) => Promise<ItemAnswer>;
  readonly failureOf: (error: unknown) => Failure;
  /** Resolves after that time, or rejects when cancelled. */
  readonly wait: (seconds: number) => Promise<void>;
}

export interface Watcher {
  /** At the positions of their items. */
  readonly onAnswers: (positions: readonly number[], answers: readonly ItemAnswer[]) => void;
  /** All requests wait that long; undefined when they continue. */
  readonly onWait: (waiting: { readonly seconds: number; readonly why: string } | undefined) => void;
}

/**
 * Why it ended before all were answered; undefined if all were. Rejects when cancelled, with what `wait`
 * rejects with.
 */
export async function askAll(
  items: readonly Item[],
  server: Server,
  watcher: Watcher,
): Promise<string | undefined> {
  const queue = batchesOf(items);
  let stopped: string | undefined;
  let pause: Promise<void> | undefined;
  let refusals = 0;

  const pauseFor = (seconds: number | undefined, why: string): Promise<void> => {
    if (pause !== undefined) return pause; // the first of the lanes to be told decides for all
    const length = seconds ?? WAITS_SECONDS[Math.min(refusals, WAITS_SECONDS.length - 1)];
    refusals++;
    watcher.onWait({ seconds: length, why });
    pause = server.wait(length).finally(() => {
      pause = undefined;
      watcher.onWait(undefined);
    });
    return pause;
  };

  const answerBatch = async (positions: readonly number[]): Promise<void> => {
    for (;;) {
      if (pause !== undefined) await pause;
      if (stopped !== undefined) return;
      try {
        const answers = await server.batch(positions.map((position) => items[position]));
        if (answers.length !== positions.length)
          throw new Error('The server sent a different number of answers.');
        refusals = 0;
        const isAlone = (i: number): boolean => answers[i].error?.code === 'batch_too_large';
        const done = positions.map((_, i) => i).filter((i) => !isAlone(i));
        watcher.onAnswers(
          done.map((i) => positions[i]),
          done.map((i) => answers[i]),
        );
        for (const [i, position] of positions.entries()) if (isAlone(i)) await answerAlone(position);
        return;
      } catch (error) {
        const failure = server.failureOf(error);
        if (failure.kind === 'stop') {
          stopped ??= failure.why;
          return;
        }
        if (failure.kind === 'later') {
          // A quota always has room for one batch: the keys file is checked for it.
          await pauseFor(failure.seconds, failure.why);
        } else if (positions.length === 1) {
          watcher.onAnswers(positions, [{ error: { code: failure.code, message: failure.why } }]);
          return;
        } else {
          const half = Math.ceil(positions.length / 2);
          queue.push(positions.slice(0, half), positions.slice(half)); // this lane is here to take them
          return;
        }
      }
    }
  };

  const answerAlone = async (position: number): Promise<void> => {
    for (;;) {
      if (pause !== undefined) await pause;
      if (stopped !== undefined) return;
      try {
        watcher.onAnswers([position], [await server.product(items[position])]);
        return;
      } catch (error) {
        const failure = server.failureOf(error);
        if (failure.kind === 'stop') stopped ??= failure.why;
        else if (failure.kind === 'later') await pauseFor(failure.seconds, failure.why);
        else {
          watcher.onAnswers([position], [{ error: { code: failure.code, message: failure.why } }]);
          return;
        }
      }
    }
  };

  const lane = async (): Promise<void> => {
    for (let batch = queue.shift(); batch !== undefined && stopped === undefined; batch = queue.shift()) {
      await answerBatch(batch);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return stopped;
}

/** The positions of the items, in batches of at most so many items and bytes. */
function batchesOf(items: readonly Item[]): number[][] {
  const batches: number[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  items.forEach(({ type, name, version }, position) => {
    // Names and versions have no control characters: escaped, a unit takes six bytes at most.
    const most = isAscii(name) && isAscii(version) ? 2 : 6;
    const size = 40 + type.length + most * (name.length + version.length);
    if (bytes + size > MAX_BATCH_BYTES || batches[batches.length - 1].length === BATCH_ITEMS) {
      batches.push([]);
      bytes = 2;
    }
    bytes += size;
    batches[batches.length - 1].push(position);
  });
  return batches;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
