// The supervisor's side of the loader thread. A loader that dies is restarted; the live snapshot stays live
// meanwhile.

import type { Worker } from 'node:worker_threads';
import type { Order } from '../../http/operations-view.ts';
import type { FromLoader, LoaderData, LoaderInheritance, LoaderOptions, ToLoader } from '../messages.ts';
import { startThread } from '../thread.ts';

const RESTART_MS = 1_000;
const YOUNG_MEGABYTES = 3; // a load leaves few objects behind: it is as fast as with 48, and keeps 15 MB less

export class Loader {
  readonly #options: LoaderOptions;
  readonly #inherit: () => LoaderInheritance;
  readonly #onMessage: (message: FromLoader) => void;
  readonly #onFailure: (error: Error) => void;
  #thread: Worker;
  #isStopped = false;

  /**
   * `inherit` is called at each start for the live snapshot, `onMessage` gets everything the thread posts, `onFailure`
   * the error that ended it.
   */
  constructor(
    options: LoaderOptions,
    inherit: () => LoaderInheritance,
    onMessage: (message: FromLoader) => void,
    onFailure: (error: Error) => void,
  ) {
    this.#options = options;
    this.#inherit = inherit;
    this.#onMessage = onMessage;
    this.#onFailure = onFailure;
    this.#thread = this.#start();
  }

  /** Scans the folder now. */
  scan(): void {
    this.#post({ kind: 'scan' });
  }

  /** Its outcome is posted under the same number, unless the thread dies first. */
  order(number: number, order: Order): void {
    this.#post({ kind: 'order', number, order });
  }

  /** Tests only: makes the thread fail. */
  fail(): void {
    this.#post({ kind: 'fail' });
  }

  stop(): void {
    this.#isStopped = true;
    this.#post({ kind: 'stop' });
  }

  #post(message: ToLoader): void {
    this.#thread.postMessage(message);
  }

  #start(): Worker {
    const data: LoaderData = { ...this.#options, ...this.#inherit() };
    const thread = startThread('snapshots/loader-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
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
