// The lifecycle state of the process, in shared memory, so that every thread's
// /readyz changes at the same time.

const STATES = ['serving', 'draining'] as const;
export type LifecycleState = (typeof STATES)[number];

export class Lifecycle {
  readonly buffer: SharedArrayBuffer;
  readonly #cell: Int32Array;

  constructor(buffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#cell = new Int32Array(buffer);
  }

  get state(): LifecycleState {
    return STATES[Atomics.load(this.#cell, 0)];
  }

  enter(state: LifecycleState): void {
    Atomics.store(this.#cell, 0, STATES.indexOf(state));
  }
}
