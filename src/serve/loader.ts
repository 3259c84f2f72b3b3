// The supervisor's side of the loader thread. A loader that dies is started again: what is served stays served
// meanwhile.

import type { Worker } from 'node:worker_threads';
import type { FromLoader, LoaderData, ToLoader } from './messages.ts';
import { startThread } from './thread.ts';

const RESTART_MS = 1_000;
const YOUNG_MEGABYTES = 3; // a load leaves few objects behind: it takes no longer than with 48, and keeps 15 MB less

export class Loader {
  readonly #data: LoaderData;
  readonly #onMessage: (message: FromLoader) => void;
  readonly #onFailure: (error: Error) => void;
  #thread: Worker;
  #isStopped = false;

  /** `onMessage` hears everything the thread posts, `onFailure` why it had to be started again. */
  constructor(data: LoaderData, onMessage: (message: FromLoader) => void, onFailure: (error: Error) => void) {
    this.#data = data;
    this.#onMessage = onMessage;
    this.#onFailure = onFailure;
    this.#thread = this.#start();
  }

  scan(allowsShrink: boolean): void {
    this.#post({ kind: 'scan', allowsShrink });
  }

  stop(): void {
    this.#isStopped = true;
    this.#post({ kind: 'stop' });
  }

  #post(message: ToLoader): void {
    this.#thread.postMessage(message);
  }

  #start(): Worker {
    const thread = startThread('loader-thread', this.#data, YOUNG_MEGABYTES);
    thread.on('message', this.#onMessage);
    thread.on('error', this.#onFailure);
    thread.on('exit', () => {
      if (this.#isStopped) return;
      setTimeout(() => {
        if (!this.#isStopped) this.#thread = this.#start();
      }, RESTART_MS).unref();
    });
    return thread;
  }
}
