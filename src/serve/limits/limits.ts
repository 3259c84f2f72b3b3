// The supervisor's side of the thread that leases from quotas which a fleet shares. Requests spend what is
// leased without it; a thread that dies is replaced, and the next one finds the leases in shared memory.

import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { LeaserState } from '../../fleet/leases/leaser.ts';
import { allocateLeases } from '../../http/callers/lease-rows.ts';
import type { FromLimits, LimitsChoice, LimitsData, PostedKeys, ToLimits } from '../messages.ts';
import type { LimitsState } from '../ops/status.ts';
import { startThread } from '../thread.ts';

const FIRST_BACK_OFF_MS = 1_000;
/** Meanwhile nobody grants, not even the local share. */
const LAST_BACK_OFF_MS = 8_000;
/** What is not returned until then drains. */
const LEAVE_MS = 2_000;

/** The part of a thread that is used here. */
export type LimitsThread = Pick<EventEmitter, 'on' | 'once'> & Pick<Worker, 'postMessage' | 'terminate'>;

export interface LimitsEvents {
  readonly onMessage: (message: FromLimits) => void;
  /** Gets the error that ended the thread, which is started again after `backOffMs`. */
  readonly onFailure: (error: Error, backOffMs: number) => void;
}

export class Limits {
  /** The shared memory of the leases. */
  readonly leases: SharedArrayBuffer;
  readonly #replica = randomBytes(6).toString('hex');
  readonly #choice: LimitsChoice;
  readonly #limiter: SharedArrayBuffer;
  readonly #startThread: (data: LimitsData) => LimitsThread;
  #keys: PostedKeys;
  #thread: LimitsThread | undefined;
  #events: LimitsEvents | undefined;
  #leaser: LeaserState | undefined;
  #backOffMs = FIRST_BACK_OFF_MS;
  #isStopped = false;

  /** `limiter` is the memory of the limiter of these keys. */
  constructor(
    choice: LimitsChoice,
    limiter: SharedArrayBuffer,
    keys: PostedKeys,
    start: (data: LimitsData) => LimitsThread = startLimits,
  ) {
    this.#choice = choice;
    this.#limiter = limiter;
    this.#keys = keys;
    this.#startThread = start;
    this.leases = allocateLeases(limiter);
  }

  get state(): LimitsState {
    return { engine: this.#choice.address.shown, replica: this.#replica, leaser: this.#leaser };
  }

  start(events: LimitsEvents): void {
    this.#events = events;
    this.#start();
  }

  setKeys(keys: PostedKeys): void {
    this.#keys = keys;
    this.#post({ kind: 'keys', keys });
  }

  /** Returns what nobody will spend. Resolves when that is done, or has taken too long. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
    });
    this.#post({ kind: 'stop' });
    const timer = setTimeout(() => void thread.terminate(), LEAVE_MS);
    await ended;
    clearTimeout(timer);
  }

  #post(message: ToLimits): void {
    this.#thread?.postMessage(message);
  }

  #start(): void {
    const thread = this.#startThread({
      ...this.#choice,
      replica: this.#replica,
      limiter: this.#limiter,
      leases: this.leases,
      keys: this.#keys,
    });
    let error = new Error('it ended without an error');
    this.#thread = thread;
    thread.on('message', (message: FromLimits) => {
      if (message.kind === 'state') {
        this.#leaser = message.state;
        if (message.state.mode === 'fleet') this.#backOffMs = FIRST_BACK_OFF_MS;
      }
      this.#events?.onMessage(message);
    });
    thread.on('error', (thrown: Error) => {
      error = thrown;
    });
    thread.on('exit', () => {
      this.#thread = undefined;
      if (this.#isStopped) return;
      const backOffMs = this.#backOffMs;
      this.#backOffMs = Math.min(LAST_BACK_OFF_MS, 2 * backOffMs);
      this.#events?.onFailure(error, backOffMs);
      setTimeout(() => {
        if (!this.#isStopped) this.#start();
      }, backOffMs).unref();
    });
  }
}

function startLimits(data: LimitsData): LimitsThread {
  return startThread('limits/limits-thread', data);
}
