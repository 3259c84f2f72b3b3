// Admits at most one order a second, over all threads of the process.

const PAUSE_MS = 1_000;

/** One 64-bit integer: when the last order was admitted, in milliseconds since the epoch. */
export function allocateOrderGate(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

export class OrderGate {
  readonly #last: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#last = new BigInt64Array(memory);
  }

  /** A clock that was set back admits the next order. */
  admit(nowMs: number): boolean {
    const last = Atomics.load(this.#last, 0);
    const elapsedMs = nowMs - Number(last);
    if (elapsedMs >= 0 && elapsedMs < PAUSE_MS) return false;
    return Atomics.compareExchange(this.#last, 0, last, BigInt(nowMs)) === last;
  }
}
