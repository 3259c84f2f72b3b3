// Work on batches in several threads, keeping their order. Helper threads start once there has proved to be
// much to do; this thread does what they have no room for, and whatever a helper fails to return. So a result
// does not depend on helpers, and at most a few batches are held.

import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TransferListItem, Worker } from 'node:worker_threads';

const MAX_HELPERS = 3;
/** One to work on, one so that it need not wait. */
const BATCHES_PER_HELPER = 2;
/** Held beyond those, when this thread is faster than the helpers. */
const SPARE_BATCHES = 4;
/** Each thread holds what it may use for new objects: with a quarter of that, packing takes 7 % longer. */
const HELPER_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };

interface Work<Batch, Result> {
  /** The module that a helper runs: `answerBatches` with the same work. */
  readonly module: URL;
  readonly workerData: unknown;
  /** Whether there is something to do in a batch; if not, no helper is asked. Without it, there always is. */
  readonly isWork?: (batch: Batch) => boolean;
  /** Does a batch in this thread. */
  readonly here: (batch: Batch) => Result;
  /** A batch as a helper gets it. What is in the list is moved there. */
  readonly packed: (batch: Batch) => { readonly message: unknown; readonly transfer: TransferListItem[] };
  /** Helpers start with this batch; before, they would start too late to be useful. */
  readonly helpedBatches: number;
}

/** Batches with their results, in order. */
export async function* inThreads<Batch, Result>(
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  work: Work<Batch, Result>,
): AsyncGenerator<{ readonly batch: Batch; readonly result: Result }> {
  const queue: { readonly batch: Batch; readonly result: Result | Promise<Result> }[] = [];
  const helpers: Helper<Batch, Result>[] = [];
  let count = 0;
  try {
    for await (const batch of batches) {
      const isWork = work.isWork?.(batch) ?? true;
      if (isWork && count++ === work.helpedBatches) {
        const helperCount = Math.min(MAX_HELPERS, availableParallelism() - 1);
        while (helpers.length < helperCount) helpers.push(new Helper(work));
      }
      // A helper's answer arrives only between turns, and batches may come without any.
      if (helpers.length > 0 || !isWork) await nextTurn();
      const helper = isWork ? helpers.find((each) => each.hasRoom) : undefined;
      queue.push({ batch, result: helper === undefined ? work.here(batch) : helper.take(batch) });
      while (queue.length > helpers.length * BATCHES_PER_HELPER + (helpers.length > 0 ? SPARE_BATCHES : 0)) {
        const { batch: first, result } = queue.shift() as (typeof queue)[number]; // its length is positive
        yield { batch: first, result: await result };
      }
    }
    for (const { batch, result } of queue) yield { batch, result: await result };
  } finally {
    await Promise.all(helpers.map((helper) => helper.stop()));
  }
}

interface Task<Batch, Result> {
  readonly batch: Batch;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

class Helper<Batch, Result> {
  readonly #work: Work<Batch, Result>;
  readonly #worker: Worker | undefined;
  /** In the order in which the thread returns them. */
  readonly #tasks: Task<Batch, Result>[] = [];
  #isRunning = true;

  constructor(work: Work<Batch, Result>) {
    this.#work = work;
    this.#worker = startHelper(work);
    if (this.#worker === undefined) this.#isRunning = false;
    this.#worker?.on('message', (result: Result) => this.#tasks.shift()?.resolve(result));
    this.#worker?.on('error', () => this.#fail());
    this.#worker?.on('exit', () => this.#fail());
  }

  get hasRoom(): boolean {
    return this.#isRunning && this.#tasks.length < BATCHES_PER_HELPER;
  }

  take(batch: Batch): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({ batch, resolve, reject });
      const { message, transfer } = this.#work.packed(batch);
      this.#worker?.postMessage(message, transfer);
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** This thread does what the helper has not. */
  #fail(): void {
    this.#isRunning = false;
    for (const { batch, resolve, reject } of this.#tasks.splice(0)) {
      try {
        resolve(this.#work.here(batch));
      } catch (error) {
        reject(error);
      }
    }
  }
}

/**
 * Undefined when the process is at its thread limit. It starts, but ends at once, when running from sources.
 */
function startHelper({ module, workerData }: Work<never, unknown>): Worker | undefined {
  try {
    return new Worker(module, { workerData, resourceLimits: HELPER_LIMITS });
  } catch {
    return undefined;
  }
}

/** The address of a helper's module, beside the one whose `import.meta.url` is given. */
export function helperModule(name: string, beside: string): URL {
  return new URL(`./${name}.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside);
}
