// The supervisor's side of the thread that follows the source of snapshots. A thread that dies is started
// again; meanwhile what is live stays live.

import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../thread.ts';
import type { FromSource, SourceData, ToSource } from './source-messages.ts';

const FIRST_BACK_OFF_MS = 1_000;
const LAST_BACK_OFF_MS = 60_000;
/** For a request that is under way; then the thread is ended. */
const STOP_MS = 2_000;
/** No thread can be ended in the middle of a system call: it is not waited for any longer. */
const END_MS = 1_000;
/** It keeps little: what it reads is written at once. */
const YOUNG_MEGABYTES = 3;

/** The part of a thread that is used here. */
export type SourceThread = Pick<EventEmitter, 'on' | 'once'> & Pick<Worker, 'postMessage' | 'terminate'>;

export interface SourceEvents {
  readonly onMessage: (message: FromSource) => void;
  /** Gets the error that ended the thread, which is started again after `backOffMs`. */
  readonly onFailure: (error: Error, backOffMs: number) => void;
}

export class Source {
  readonly #data: SourceData;
  readonly #events: SourceEvents;
  readonly #startThread: (data: SourceData) => SourceThread;
  #thread: SourceThread | undefined;
  #backOffMs = FIRST_BACK_OFF_MS;
  #next: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(data: SourceData, events: SourceEvents, start: typeof startSource = startSource) {
    this.#data = data;
    this.#events = events;
    this.#startThread = start;
    this.#start();
  }

  /** The loader has refused this file, a name in the folder. */
  suspect(file: string): void {
    this.#thread?.postMessage({ kind: 'suspect', file } satisfies ToSource);
  }

  /** Whether the thread has ended; it has not if it is held by a system call. */
  async stop(): Promise<boolean> {
    this.#isStopped = true;
    clearTimeout(this.#next);
    const thread = this.#thread;
    if (thread === undefined) return true;
    let timer: NodeJS.Timeout | undefined;
    const ended = new Promise<boolean>((resolve) => {
      thread.once('exit', () => resolve(true));
      timer = setTimeout(() => {
        void thread.terminate();
        timer = setTimeout(() => resolve(false), END_MS);
      }, STOP_MS);
    });
    thread.postMessage({ kind: 'stop' } satisfies ToSource);
    const hasEnded = await ended;
    clearTimeout(timer);
    return hasEnded;
  }

  #start(): void {
    const thread = this.#startThread(this.#data);
    let error = new Error('it ended without an error');
    this.#thread = thread;
    thread.on('message', (message: FromSource) => {
      if (message.kind === 'polled') this.#backOffMs = FIRST_BACK_OFF_MS;
      this.#events.onMessage(message);
    });
    thread.on('error', (thrown: Error) => {
      error = thrown;
    });
    thread.once('exit', () => {
      this.#thread = undefined;
      if (this.#isStopped) return;
      const backOffMs = this.#backOffMs;
      this.#backOffMs = Math.min(LAST_BACK_OFF_MS, 2 * backOffMs);
      this.#events.onFailure(error, backOffMs);
      this.#next = setTimeout(() => this.#start(), backOffMs);
      this.#next.unref();
    });
  }
}

function startSource(data: SourceData): SourceThread {
  return startThread('snapshots/source-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
}
