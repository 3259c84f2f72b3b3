// Packs the lines of a feed in several threads, keeping their order. Helper threads start once a feed has proved to be
// long; this thread packs what they have no room for, and whatever a helper fails to return. So a result does not depend
// on helpers, and at most a few batches are held.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { KnownLines } from './known-lines.ts';
import type { Line } from './lines.ts';
import { type LineBatch, type PackedLines, packLines } from './pack-lines.ts';

export interface PackedBatch {
  readonly lines: readonly Line[];
  readonly packed: PackedLines;
}

/** A batch is about a megabyte; shorter feeds would be done before a thread has started. */
const HELPED_BATCHES = 4;
const MAX_HELPERS = 3;
/** One to work on, one so that it need not wait. */
const BATCHES_PER_HELPER = 2;
/** Held beyond those, when this thread is faster than the helpers. */
const SPARE_BATCHES = 4;
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 };

export async function* packBatches(
  batches: AsyncIterable<readonly Line[]>,
  previous?: KnownLines,
  helpedBatches = HELPED_BATCHES,
): AsyncGenerator<PackedBatch> {
  const queue: { readonly lines: readonly Line[]; readonly packed: PackedLines | Promise<PackedLines> }[] =
    [];
  const helpers: Helper[] = [];
  let count = 0;
  try {
    for await (const lines of batches) {
      if (count++ === helpedBatches) {
        const helperCount = Math.min(MAX_HELPERS, availableParallelism() - 1);
        while (helpers.length < helperCount) helpers.push(new Helper(previous));
      }
      const batch = joined(lines);
      const helper = helpers.find((each) => each.hasRoom);
      queue.push({
        lines,
        packed: helper === undefined ? packLines(batch, previous) : helper.pack(batch, lines),
      });
      while (queue.length > helpers.length * BATCHES_PER_HELPER + (helpers.length > 0 ? SPARE_BATCHES : 0)) {
        const { lines: first, packed } = queue.shift() as (typeof queue)[number]; // its length is positive
        yield { lines: first, packed: await packed };
      }
    }
    for (const { lines, packed } of queue) yield { lines, packed: await packed };
  } finally {
    await Promise.all(helpers.map((helper) => helper.stop()));
  }
}

/** The lines in a buffer of their own, which can be handed to another thread. */
function joined(lines: readonly Line[]): LineBatch {
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.bytes.length, 0));
  const ends = new Uint32Array(lines.length);
  let at = 0;
  lines.forEach((line, i) => {
    bytes.set(line.bytes, at);
    at += line.bytes.length;
    ends[i] = at;
  });
  return { bytes, ends };
}

interface Task {
  readonly lines: readonly Line[];
  readonly resolve: (packed: PackedLines) => void;
  readonly reject: (error: unknown) => void;
}

class Helper {
  readonly #previous: KnownLines | undefined;
  readonly #worker: Worker | undefined;
  /** In the order in which the thread returns them. */
  readonly #tasks: Task[] = [];
  #isRunning = true;

  constructor(previous: KnownLines | undefined) {
    this.#previous = previous;
    this.#worker = startHelper(previous);
    if (this.#worker === undefined) this.#isRunning = false;
    this.#worker?.on('message', (packed: PackedLines) => this.#tasks.shift()?.resolve(packed));
    this.#worker?.on('error', () => this.#fail());
    this.#worker?.on('exit', () => this.#fail());
  }

  get hasRoom(): boolean {
    return this.#isRunning && this.#tasks.length < BATCHES_PER_HELPER;
  }

  /** Takes over the batch's buffers. */
  pack({ bytes, ends }: LineBatch, lines: readonly Line[]): Promise<PackedLines> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({ lines, resolve, reject });
      this.#worker?.postMessage({ bytes, ends }, [bytes.buffer as ArrayBuffer, ends.buffer as ArrayBuffer]);
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** This thread does what the helper has not. */
  #fail(): void {
    this.#isRunning = false;
    for (const { lines, resolve, reject } of this.#tasks.splice(0)) {
      try {
        resolve(packLines(joined(lines), this.#previous));
      } catch (error) {
        reject(error);
      }
    }
  }
}

/** Undefined when the process is at its thread limit. It starts, but ends at once, when running from sources. */
function startHelper(previous: KnownLines | undefined): Worker | undefined {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    return new Worker(new URL(`./line-thread.${extension}`, import.meta.url), {
      workerData: { previous },
      resourceLimits: HELPER_LIMITS,
    });
  } catch {
    return undefined;
  }
}
