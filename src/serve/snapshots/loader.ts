// The supervisor's side of the loader thread, which starts before the rest of the process is even imported:
// no other part of a start takes as long. A loader that dies is restarted; one that is stuck is only named:
// no thread can be ended in the middle of a system call. The live snapshot stays live meanwhile.

import type { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import type { Order } from '../../http/operations-view.ts';
import type { FromLoader, LoaderData, LoaderInheritance, LoaderOptions, ToLoader } from '../messages.ts';
import { startThread } from '../thread.ts';
import { BeatWatch } from '../workers/beat-watch.ts';

const RESTART_MS = 1_000;
const YOUNG_MEGABYTES = 3; // a load leaves few objects behind: it is as fast as with 48, and keeps 15 MB less
/**
 * It reads and loads without a turn of its loop: seconds for a large snapshot, ten
 * times as long beside busy workers.
 */
const STUCK_MS = 120_000;
const LOOK_MS = 10_000;

/** The part of a thread that is used here. */
export type LoaderThread = Pick<EventEmitter, 'on'> & Pick<Worker, 'postMessage' | 'terminate'>;

export interface LoaderEvents {
  /** Gets everything that the thread posts. */
  readonly onMessage: (message: FromLoader) => void;
  /** Gets the error that ended the thread. */
  readonly onFailure: (error: Error) => void;
  /** The thread has not turned its loop for so long that its storage may have stopped. */
  readonly onStuck: () => void;
  readonly onResumed: () => void;
}

const NOTHING: LoaderInheritance = { inForce: undefined, rollBack: undefined };

/** In place of a real thread, for tests. */
export type StartLoader = (data: LoaderData) => LoaderThread;

export class Loader {
  readonly #options: LoaderOptions;
  readonly #beat = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beatWatch = new BeatWatch(LOOK_MS, STUCK_MS);
  readonly #watch: NodeJS.Timeout;
  readonly #startThread: StartLoader;
  #inherit: () => LoaderInheritance = () => NOTHING;
  #events: LoaderEvents | undefined;
  /** What happened before there was anyone to hear it. */
  #unheard: ((events: LoaderEvents) => void)[] = [];
  #lookups: SharedArrayBuffer | undefined;
  #thread: LoaderThread;
  #isStuck = false;
  #isStopped = false;

  /** The thread begins to load. */
  constructor(options: LoaderOptions, start: StartLoader = startLoader) {
    this.#options = options;
    this.#startThread = start;
    this.#thread = this.#start();
    this.#watch = setInterval(() => this.#look(), LOOK_MS);
    this.#watch.unref();
  }

  /**
   * Passes on what has happened, in this turn, and what will. `inherit` is called at each new start for the
   * live snapshot.
   */
  follow(inherit: () => LoaderInheritance, events: LoaderEvents): void {
    this.#inherit = inherit;
    this.#events = events;
    for (const tell of this.#unheard) tell(events);
    this.#unheard = [];
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** From now on what clients look up is known by this sample of it. */
  sample(lookups: SharedArrayBuffer): void {
    this.#lookups = lookups;
    this.#post({ kind: 'lookups', lookups });
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
    clearInterval(this.#watch);
    this.#post({ kind: 'stop' });
  }

  /** Ends the thread in the middle of a load: the process does not serve after all. */
  abandon(): void {
    this.#isStopped = true;
    clearInterval(this.#watch);
    void this.#thread.terminate();
  }

  #tell(tell: (events: LoaderEvents) => void): void {
    if (this.#events === undefined) this.#unheard.push(tell);
    else tell(this.#events);
  }

  #post(message: ToLoader): void {
    this.#thread.postMessage(message);
  }

  #start(): LoaderThread {
    const thread = this.#startThread({
      ...this.#options,
      ...this.#inherit(),
      beat: this.#beat,
      lookups: this.#lookups,
    });
    thread.on('message', (message: FromLoader) => this.#tell(({ onMessage }) => onMessage(message)));
    thread.on('error', (error: Error) => this.#tell(({ onFailure }) => onFailure(error)));
    thread.on('exit', () => {
      if (this.#isStopped) return;
      setTimeout(() => {
        if (!this.#isStopped) this.#thread = this.#start();
      }, RESTART_MS).unref();
    });
    return thread;
  }

  #look(): void {
    const beat = Atomics.load(new Int32Array(this.#beat), 0);
    const isStuck = this.#beatWatch.look(performance.now(), [beat]).length > 0;
    if (isStuck === this.#isStuck) return;
    this.#isStuck = isStuck;
    this.#tell(({ onStuck, onResumed }) => (isStuck ? onStuck() : onResumed()));
  }
}

function startLoader(data: LoaderData): LoaderThread {
  return startThread('snapshots/loader-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
}
