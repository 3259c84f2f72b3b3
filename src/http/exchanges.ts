// What outlives its handler: bodies that have not arrived whole and replies that the socket did not take at once. Owns
// the count of bytes held for them and the time each may take.

import { performance } from 'node:perf_hooks';

export interface Exchange {
  /** Closing runs its abort handler, which has to forget the exchange. */
  readonly res: { close(): unknown };
  /** By the clock that nobody sets. */
  readonly deadlineMs: number;
  /** Bytes held for it. */
  bytes: number;
}

const SWEEP_MS = 1_000;
/** With as much let go, and no more than as much still held, it is time for relief. */
const RELIEF_BYTES = 16 << 20;

export class Exchanges {
  readonly #timeoutMs: number;
  readonly #open = new Set<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  #heldBytes = 0;
  /** Since the last relief, and at the last look. */
  #letGoBytes = 0;
  #letGoSeen = 0;

  /** `onRelief` hears when much memory has been let go and it is quiet. */
  constructor(timeoutMs: number, onRelief?: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#sweeper = setInterval(() => {
      this.#sweep();
      if (onRelief !== undefined) this.#relieve(onRelief);
    }, SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Of all of them. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  has(exchange: Exchange): boolean {
    return this.#open.has(exchange);
  }

  open(res: Exchange['res']): Exchange {
    const exchange: Exchange = { res, deadlineMs: performance.now() + this.#timeoutMs, bytes: 0 };
    this.#open.add(exchange);
    return exchange;
  }

  hold(exchange: Exchange, bytes: number): void {
    exchange.bytes += bytes;
    this.#heldBytes += bytes;
  }

  /** False when it was forgotten before. */
  forget(exchange: Exchange): boolean {
    if (!this.#open.delete(exchange)) return false;
    this.#heldBytes -= exchange.bytes;
    this.#letGoBytes += exchange.bytes;
    return true;
  }

  /** Notes memory that was let go elsewhere. */
  letGo(bytes: number): void {
    this.#letGoBytes += bytes;
  }

  /** Ends the watching for what is overdue. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #relieve(onRelief: () => void): void {
    const isQuiet = this.#letGoBytes === this.#letGoSeen && this.#heldBytes < RELIEF_BYTES;
    if (isQuiet && this.#letGoBytes >= RELIEF_BYTES) {
      this.#letGoBytes = 0;
      onRelief();
    }
    this.#letGoSeen = this.#letGoBytes;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) break; // a set keeps the order of insertion, and so of deadlines
      exchange.res.close();
    }
  }
}
