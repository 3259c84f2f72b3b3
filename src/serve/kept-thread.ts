// A thread that the supervisor keeps: one that dies is started again, later each time until it has shown that
// it works. What it was started for goes on without it meanwhile.

import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';

/** The part of a thread that is used here. */
export type ThreadHandle = Pick<EventEmitter, 'on' | 'once'> & Pick<Worker, 'postMessage' | 'terminate'>;

export interface KeptThreadOptions<Out> {
  /** Called for each thread, so that it begins with what is so now. */
  readonly start: () => ThreadHandle;
  /** The shortest and the longest pause before the next start. */
  readonly backOffMs: readonly [first: number, last: number];
  readonly onMessage: (message: Out) => void;
  /** Gets what ended the thread, which is started again after `backOffMs`. */
  readonly onFailure: (error: Error, backOffMs: number) => void;
  /** Whether this message shows that the thread works. */
  readonly isGood?: (message: Out) => boolean;
}

/** No thread can be ended in the middle of a system call: it is not waited for any longer. */
const END_MS = 1_000;

export class KeptThread<In, Out> {
  readonly #options: KeptThreadOptions<Out>;
  #thread: ThreadHandle | undefined;
  #backOffMs: number;
  #next: NodeJS.Timeout | undefined;
  #isKept = true;

  /** The first thread starts at once. */
  constructor(options: KeptThreadOptions<Out>) {
    this.#options = options;
    [this.#backOffMs] = options.backOffMs;
    this.#start();
  }

  /** Whether there was a thread to get it: there is none during a pause. */
  post(message: In): boolean {
    this.#thread?.postMessage(message);
    return this.#thread !== undefined;
  }

  /** Starts no other thread. Resolves when this one has ended. */
  letGo(): Promise<void> {
    this.#isKept = false;
    clearTimeout(this.#next);
    const thread = this.#thread;
    if (thread === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      thread.once('exit', () => resolve());
    });
  }

  /**
   * Lets the thread go with this word, and ends it by force after `patienceMs`. Resolves with whether it has
   * ended: it has not if it is held by a system call.
   */
  async stop(word: In, patienceMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const isHeld = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        this.terminate();
        timer = setTimeout(() => resolve(false), END_MS);
      }, patienceMs);
    });
    const ended = this.letGo().then(() => true);
    this.post(word);
    const hasEnded = await Promise.race([ended, isHeld]);
    clearTimeout(timer);
    return hasEnded;
  }

  /** Ends it by force, whatever it does. */
  terminate(): void {
    void this.letGo();
    void this.#thread?.terminate();
  }

  #start(): void {
    const { start, backOffMs, onMessage, onFailure, isGood } = this.#options;
    const [first, last] = backOffMs;
    const thread = start();
    let thrown: Error | undefined;
    this.#thread = thread;
    thread.on('message', (message: Out) => {
      if (isGood?.(message) === true) this.#backOffMs = first;
      onMessage(message);
    });
    thread.on('error', (error: Error) => {
      thrown = error;
    });
    thread.once('exit', () => {
      this.#thread = undefined;
      if (!this.#isKept) return;
      const pauseMs = this.#backOffMs;
      this.#backOffMs = Math.min(last, 2 * pauseMs);
      // Made now: as long as an Error lives, so does what its callers had in hand, such as a generation.
      onFailure(thrown ?? new Error('it ended without an error'), pauseMs);
      this.#next = setTimeout(() => this.#start(), pauseMs);
      this.#next.unref();
    });
  }
}
