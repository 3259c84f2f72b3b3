// The supervisor's side of the thread that makes what a generation needs after it went live: the differences
// to the one before it, and prepared files. Serving continues without either. A newer generation takes the
// place of an older one, whose files nobody would be served; a thread that dies is started again for what it
// did not finish. What it says cannot be made is not tried again before the next generation.

import { KeptThread, type KeptThreadOptions, type ThreadHandle } from '../kept-thread.ts';
import type {
  FromPreparer,
  PostedChanges,
  PostedFiles,
  PostedGeneration,
  Preparation,
  PreparationFailure,
  Prepared,
  PreparerData,
  ToPreparer,
} from '../messages.ts';
import { startThread } from '../thread.ts';
import type { KeptGenerations } from './kept-generations.ts';

const BACK_OFF_MS = [1_000, 60_000] as const;
const YOUNG_MEGABYTES = 3; // V8 does not give back more

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
type Rest = Pick<Preparation, 'neighbours' | 'files'>;

const NOTHING: Rest = { neighbours: [], files: undefined };

export class Preparer {
  readonly #options: PreparerOptions;
  #rest = NOTHING;
  /** Of the preparation under way. */
  #number = 0;
  #halt = newHalt();
  /** From the first preparation on. */
  #thread: KeptThread<ToPreparer, FromPreparer> | undefined;
  #isStopped = false;

  constructor(options: PreparerOptions) {
    this.#options = options;
  }

  /** Makes what the live generation lacks, instead of what was being made. */
  prepare(kept: Pick<KeptGenerations<PostedGeneration>, 'unknown' | 'live'>): void {
    if (this.#isStopped) return;
    const files = this.#options.dialects.length === 0 ? undefined : kept.live;
    this.#begin({ neighbours: kept.unknown(), files });
    if (!this.#isWanted() || this.#thread?.post(this.#preparation()) === true) return;
    void this.#thread?.letGo(); // in a pause, which this does not wait for
    this.#start();
  }

  /**
   * Resolves when the thread has ended, which it does before it reads its next record. Not by `terminate`:
   * Node 22 aborts the process when that comes between the making of a zlib stream and its first use, and
   * compressing is most of what this thread does.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#begin(NOTHING);
    const ended = this.#thread?.letGo();
    this.#thread?.post({ kind: 'stop' });
    await ended;
  }

  /** What is still posted of the preparation before is ignored. */
  #begin(rest: Rest): void {
    Atomics.store(this.#halt, 0, 1);
    this.#halt = newHalt();
    this.#number++;
    this.#rest = rest;
  }

  #start(): void {
    const { dialects, onFailure, start = startPreparing } = this.#options;
    this.#thread = new KeptThread({
      start: () => {
        const thread = start({ dialects });
        if (this.#isWanted()) thread.postMessage(this.#preparation());
        return thread;
      },
      backOffMs: BACK_OFF_MS,
      isGood: ({ prepared }) => prepared.kind === 'finished',
      onMessage: ({ number, prepared }) => {
        if (number === this.#number) this.#take(prepared);
      },
      onFailure,
    });
  }

  #preparation(): ToPreparer {
    return {
      kind: 'prepare',
      number: this.#number,
      preparation: { ...this.#rest, halt: this.#halt },
    };
  }

  #isWanted(): boolean {
    return this.#rest.neighbours.length > 0 || this.#rest.files !== undefined;
  }

  #take(message: Prepared): void {
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

function newHalt(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function startPreparing(data: PreparerData): ThreadHandle {
  return startThread('snapshots/preparer-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
}
