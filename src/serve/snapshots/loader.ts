// The supervisor's side of the loader thread, which starts before the rest of the process is even imported:
// no other part of a start takes as long. A loader that dies is restarted; one that is stuck is only named:
// no thread can be ended in the middle of a system call. The live snapshot stays live meanwhile.

import { performance } from 'node:perf_hooks';
import type { Order } from '../../http/operations-view.ts';
import { KeptThread, type ThreadHandle } from '../kept-thread.ts';
import type { FromLoader, LoaderData, LoaderInheritance, LoaderOptions, ToLoader } from '../messages.ts';
import { startThread } from '../thread.ts';
import { BeatWatch } from '../workers/beat-watch.ts';

const RESTART_MS = [1_000, 1_000] as const; // an old snapshot gets older meanwhile
const YOUNG_MEGABYTES = 3; // a load leaves few objects behind: it is as fast as with 48, and keeps 15 MB less
/**
 * It reads and loads without a turn of its loop: seconds for a large snapshot, ten
 * times as long beside busy workers.
 */
const STUCK_MS = 120_000;
const LOOK_MS = 10_000;

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
export type StartLoader = (data: LoaderData) => ThreadHandle;

export class Loader {
  readonly #beat = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beatWatch = new BeatWatch(LOOK_MS, STUCK_MS);
  readonly #watch: NodeJS.Timeout;
  #inherit: () => LoaderInheritance = () => NOTHING;
  #events: LoaderEvents | undefined;
  /** What happened before there was anyone to hear it. */
  #unheard: ((events: LoaderEvents) => void)[] = [];
  #lookups: SharedArrayBuffer | undefined;
  readonly #thread: KeptThread<ToLoader, FromLoader>;
  #isStuck = false;

  /** The thread begins to load. */
  constructor(options: LoaderOptions, start: StartLoader = startLoader) {
    this.#thread = new KeptThread({
      start: () => start({ ...options, ...this.#inherit(), beat: this.#beat, lookups: this.#lookups }),
      backOffMs: RESTART_MS,
      onMessage: (message) => this.#tell(({ onMessage }) => onMessage(message)),
      onFailure: (error) => this.#tell(({ onFailure }) => onFailure(error)),
    });
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
    this.#thread.post({ kind: 'lookups', lookups });
  }

  /** Scans the folder now. */
  scan(): void {
    this.#thread.post({ kind: 'scan' });
  }

  /** Its outcome is posted under the same number, unless the thread dies first. */
  order(number: number, order: Order): void {
    this.#thread.post({ kind: 'order', number, order });
  }

  stop(): void {
    clearInterval(this.#watch);
    void this.#thread.letGo();
    this.#thread.post({ kind: 'stop' });
  }

  /** Ends the thread in the middle of a load: the process does not serve after all. */
  abandon(): void {
    clearInterval(this.#watch);
    this.#thread.terminate();
  }

  #tell(tell: (events: LoaderEvents) => void): void {
    if (this.#events === undefined) this.#unheard.push(tell);
    else tell(this.#events);
  }

  #look(): void {
    const beat = Atomics.load(new Int32Array(this.#beat), 0);
    const isStuck = this.#beatWatch.look(performance.now(), [beat]).length > 0;
    if (isStuck === this.#isStuck) return;
    this.#isStuck = isStuck;
    this.#tell(({ onStuck, onResumed }) => (isStuck ? onStuck() : onResumed()));
  }
}

function startLoader(data: LoaderData): ThreadHandle {
  return startThread('snapshots/loader-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
}
