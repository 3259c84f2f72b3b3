// The supervisor's side of the thread that makes what a generation needs after it went live: the differences to the one
// before it, and prepared files. Serving continues without either. A newer generation ends the thread of an older one, whose
// files nobody would be served; a thread that dies is started again for what it did not finish. What it says cannot be made
// is not tried again before the next generation.

import type { EventEmitter } from 'node:events';
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

const FIRST_BACK_OFF_MS = 1_000;
const LAST_BACK_OFF_MS = 60_000;
const SILENT = 'it ended without an error';

/** The part of a thread that is used here. */
export type PreparerThread = Pick<EventEmitter, 'on'>;

export interface PreparerEvents {
  readonly onChanges: (changes: PostedChanges) => void;
  readonly onFiles: (files: PostedFiles) => void;
  /** All is made, but for these. */
  readonly onFinished: (failures: readonly PreparationFailure[]) => void;
  /** The thread died; what it did not finish is tried again after `backOffMs`. */
  readonly onFailure: (message: string, backOffMs: number) => void;
}

export interface PreparerOptions extends PreparerEvents {
  /** The names of the dialects that are on and have files; without any, only differences are computed. */
  readonly dialects: readonly string[];
  /** In place of a real thread, for tests. */
  readonly start?: (data: PreparerData) => PreparerThread;
}

/** What is still to be made. */
type Rest = Pick<PreparerData, 'neighbours' | 'files'>;

const NOTHING: Rest = { neighbours: [], files: undefined };

export class Preparer {
  readonly #options: PreparerOptions;
  #rest = NOTHING;
  #thread: PreparerThread | undefined;
  #halt: Int32Array = new Int32Array(0);
  #backOffMs = FIRST_BACK_OFF_MS;
  #nextStart: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: PreparerOptions) {
    this.#options = options;
  }

  /** Makes what the live generation lacks, instead of what was being made. */
  prepare(kept: Pick<KeptGenerations<PostedGeneration>, 'unknown' | 'live'>): void {
    const files = this.#options.dialects.length === 0 ? undefined : kept.live;
    this.#rest = { neighbours: kept.unknown(), files };
    this.#backOffMs = FIRST_BACK_OFF_MS;
    this.#end();
    this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#rest = NOTHING;
    this.#end();
  }

  /**
   * The thread is asked, not terminated: Node 22 aborts the process when a thread ends between the making of a zlib stream
   * and its first use, and compressing is most of what this thread does.
   */
  #end(): void {
    clearTimeout(this.#nextStart);
    this.#halt.fill(1);
    this.#thread = undefined; // what it still posts is ignored
  }

  #start(): void {
    const { neighbours, files } = this.#rest;
    if (this.#isStopped || (neighbours.length === 0 && files === undefined)) return;
    const { dialects, start = startPreparerThread } = this.#options;
    const halt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#halt = halt;
    const thread = start({ dialects, neighbours, files, halt });
    let lastWords = SILENT;
    this.#thread = thread;
    thread.on('message', (message: FromPreparer) => {
      if (thread === this.#thread) this.#take(message);
    });
    thread.on('error', (error: Error) => {
      lastWords = error.stack ?? error.message;
    });
    thread.on('exit', () => {
      if (thread !== this.#thread) return;
      this.#thread = undefined;
      this.#startAgain(lastWords);
    });
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

  /** If anything is left to be made: a thread that finished leaves nothing. */
  #startAgain(message: string): void {
    const { neighbours, files } = this.#rest;
    if (neighbours.length === 0 && files === undefined) return;
    const backOffMs = this.#backOffMs;
    this.#backOffMs = Math.min(LAST_BACK_OFF_MS, 2 * backOffMs);
    this.#options.onFailure(message, backOffMs);
    this.#nextStart = setTimeout(() => this.#start(), backOffMs);
    this.#nextStart.unref();
  }
}

function startPreparerThread(data: PreparerData): PreparerThread {
  return startThread('snapshots/preparer-thread', data);
}
