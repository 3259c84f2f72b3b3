// The supervisor's side of the thread that makes what a generation needs after it went live: the differences
// to the one before it, and prepared files. Serving continues without either. A newer generation ends the
// thread of an older one, whose files nobody would be served; a thread that dies is started again for what it
// did not finish. What it says cannot be made is not tried again before the next generation.

import { KeptThread, type KeptThreadOptions, type ThreadHandle } from '../kept-thread.ts';
import type {
  FromPreparer,
  PostedChanges,
  PostedFiles,
  PostedGeneration,
  PreparationFailure,
  PreparerData,
} from '../messages.ts';
import { startThread } from '../thread.ts';
import type { KeptGenerations } from './kept-generations.ts';

const BACK_OFF_MS = [1_000, 60_000] as const;

export interface PreparerEvents {
  readonly onChanges: (changes: PostedChanges) => void;
  readonly onFiles: (files: PostedFiles) => void;
  /** All is made, but for these. */
  readonly onFinished: (failures: readonly PreparationFailure[]) => void;
  /** The thread died; what it did not finish is tried again after `backOffMs`. */
  readonly onFailure: KeptThreadOptions<FromPreparer>['onFailure'];
}

interface PreparerOptions extends PreparerEvents {
  /** The names of the dialects that are on and have files; without any, only differences are computed. */
  readonly dialects: readonly string[];
  /** In place of a real thread, for tests. */
  readonly start?: (data: PreparerData) => ThreadHandle;
}

/** What is still to be made. */
type Rest = Pick<PreparerData, 'neighbours' | 'files'>;

/** A thread, and the word that ends it: it is asked for nothing else. */
interface Running extends Pick<PreparerData, 'halt'> {
  readonly thread: KeptThread<never, FromPreparer>;
}

const NOTHING: Rest = { neighbours: [], files: undefined };

export class Preparer {
  readonly #options: PreparerOptions;
  #rest = NOTHING;
  #current: Running | undefined;
  /** Of every thread, also of those that were told to end. */
  readonly #endings = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: PreparerOptions) {
    this.#options = options;
  }

  /** Makes what the live generation lacks, instead of what was being made. */
  prepare(kept: Pick<KeptGenerations<PostedGeneration>, 'unknown' | 'live'>): void {
    const files = this.#options.dialects.length === 0 ? undefined : kept.live;
    this.#rest = { neighbours: kept.unknown(), files };
    this.#end();
    this.#start();
  }

  /** Resolves when no thread is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#rest = NOTHING;
    this.#end();
    await Promise.all(this.#endings);
  }

  /**
   * Tells the thread to end, which it does before it reads its next record. Not by `terminate`: Node 22
   * aborts the process when that comes between the making of a zlib stream and its first use, and compressing
   * is most of what this thread does.
   */
  #end(): void {
    if (this.#current === undefined) return;
    const { halt, thread } = this.#current;
    this.#current = undefined; // what it still posts is ignored
    Atomics.store(halt, 0, 1);
    const ending = thread.letGo().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #start(): void {
    if (this.#isStopped || !this.#isWanted()) return;
    const { dialects, onFailure, start = startPreparing } = this.#options;
    const halt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const thread: Running['thread'] = new KeptThread({
      start: () => start({ dialects, ...this.#rest, halt }),
      backOffMs: BACK_OFF_MS,
      isWanted: () => this.#isWanted(),
      onMessage: (message) => {
        if (this.#current?.halt === halt) this.#take(message);
      },
      onFailure,
    });
    this.#current = { halt, thread };
  }

  /** Whether anything is left to be made: a thread that finished leaves nothing. */
  #isWanted(): boolean {
    return this.#rest.neighbours.length > 0 || this.#rest.files !== undefined;
  }

  #take(message: FromPreparer): void {
    const { neighbours, files } = this.#rest;
    switch (message.kind) {
      case 'changes': {
        const { from, to } = message.changes;
        const rest = neighbours.filter(
          ({ previous, next }) => previous.parts.id !== from || next.parts.id !== to,
        );
        this.#rest = { neighbours: rest, files };
        this.#options.onChanges(message.changes);
        break;
      }
      case 'files':
        this.#rest = { neighbours, files: undefined };
        this.#options.onFiles(message.files);
        break;
      case 'finished':
        this.#rest = NOTHING;
        this.#options.onFinished(message.failures);
        break;
    }
  }
}

function startPreparing(data: PreparerData): ThreadHandle {
  return startThread('snapshots/preparer-thread', data);
}
