// The supervisor's side of the thread that makes what a generation needs after it went live: the differences
// to the one before it, and prepared files. Serving continues without either. A newer generation ends the
// thread of an older one, whose files nobody would be served; a thread that dies is started again for what it
// did not finish. What it says cannot be made is not tried again before the next generation.

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

/** A thread, by the word that ends it. */
type Running = Pick<PreparerData, 'halt'>;

const NOTHING: Rest = { neighbours: [], files: undefined };

export class Preparer {
  readonly #options: PreparerOptions;
  #rest = NOTHING;
  #current: Running | undefined;
  /** Of every thread, also of those that were told to end. */
  readonly #endings = new Set<Promise<void>>();
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
    clearTimeout(this.#nextStart);
    if (this.#current !== undefined) Atomics.store(this.#current.halt, 0, 1);
    this.#current = undefined; // what it still posts is ignored
  }

  #start(): void {
    const { neighbours, files } = this.#rest;
    if (this.#isStopped || (neighbours.length === 0 && files === undefined)) return;
    const { dialects, start = startPreparerThread } = this.#options;
    const halt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const thread = start({ dialects, neighbours, files, halt });
    const running: Running = { halt };
    let lastWords = SILENT;
    this.#current = running;
    const ending = new Promise<void>((resolve) => {
      thread.on('exit', () => resolve());
    }).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    thread.on('message', (message: FromPreparer) => {
      if (running === this.#current) this.#take(message);
    });
    thread.on('error', (error: Error) => {
      lastWords = error.stack ?? error.message;
    });
    thread.on('exit', () => {
      if (running !== this.#current) return;
      this.#current = undefined;
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
