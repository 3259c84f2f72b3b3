// The supervisor's side of the thread that leases from quotas which a fleet shares. Requests spend what is
// leased without it; a thread that dies is replaced, and the next one finds the leases in shared memory.

import { randomBytes } from 'node:crypto';
import type { LeaserState } from '../../fleet/leases/leaser.ts';
import { allocateLeases } from '../../http/callers/lease-rows.ts';
import { KeptThread, type KeptThreadOptions, type ThreadHandle } from '../kept-thread.ts';
import type { FromLimits, LimitsChoice, LimitsData, PostedKeys, ToLimits } from '../messages.ts';
import type { LimitsState } from '../ops/status.ts';
import { startThread } from '../thread.ts';

/** Meanwhile nobody grants, not even the local share. */
const BACK_OFF_MS = [1_000, 8_000] as const;
/** What is not returned until then drains. */
const LEAVE_MS = 2_000;

export type LimitsEvents = Pick<KeptThreadOptions<FromLimits>, 'onMessage' | 'onFailure'>;

export class Limits {
  /** The shared memory of the leases. */
  readonly leases: SharedArrayBuffer;
  readonly #replica = randomBytes(6).toString('hex');
  readonly #choice: LimitsChoice;
  readonly #limiter: SharedArrayBuffer;
  readonly #startThread: (data: LimitsData) => ThreadHandle;
  #keys: PostedKeys;
  #thread: KeptThread<ToLimits, FromLimits> | undefined;
  #leaser: LeaserState | undefined;

  /** `limiter` is the memory of the limiter of these keys. */
  constructor(
    choice: LimitsChoice,
    limiter: SharedArrayBuffer,
    keys: PostedKeys,
    start: (data: LimitsData) => ThreadHandle = startLimits,
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

  start({ onMessage, onFailure }: LimitsEvents): void {
    this.#thread = new KeptThread({
      start: () =>
        this.#startThread({
          ...this.#choice,
          replica: this.#replica,
          limiter: this.#limiter,
          leases: this.leases,
          keys: this.#keys,
        }),
      backOffMs: BACK_OFF_MS,
      isGood: (message) => message.kind === 'state' && message.state.mode === 'fleet',
      onMessage: (message) => {
        if (message.kind === 'state') this.#leaser = message.state;
        onMessage(message);
      },
      onFailure,
    });
  }

  setKeys(keys: PostedKeys): void {
    this.#keys = keys;
    this.#thread?.post({ kind: 'keys', keys });
  }

  /** Returns what nobody will spend. Resolves when that is done, or has taken too long. */
  async stop(): Promise<void> {
    await this.#thread?.stop({ kind: 'stop' }, LEAVE_MS);
  }
}

function startLimits(data: LimitsData): ThreadHandle {
  return startThread('limits/limits-thread', data);
}
