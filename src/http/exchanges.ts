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

export class Exchanges {
  readonly #timeoutMs: number;
  readonly #open = new Set<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  #heldBytes = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
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
    return true;
  }

  /** Ends the watching for what is overdue. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) break; // a set keeps the order of insertion, and so of deadlines
      exchange.res.close();
    }
  }
}
