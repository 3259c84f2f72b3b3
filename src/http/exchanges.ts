// Exchanges that outlive their handler: request bodies that have not fully arrived, and replies that the socket did not
// take at once. Owns the count of bytes held for them and the time limit of each.

import { performance } from 'node:perf_hooks';

export interface Exchange {
  /** Closing it runs its abort handler, which must forget the exchange. */
  readonly res: { close(): unknown };
  /** By the monotonic clock. */
  readonly deadlineMs: number;
  /** Bytes held for it. */
  bytes: number;
}

const SWEEP_MS = 1_000;
/** Relief is due when this much was released and less than this is still held. */
const RELIEF_BYTES = 16 << 20;
/** Traffic is quiet when less than this was released since the last check. */
const QUIET_BYTES = 1 << 20;

export class Exchanges {
  readonly #timeoutMs: number;
  readonly #open = new Set<Exchange>();
  readonly #sweeper: NodeJS.Timeout;
  #heldBytes = 0;
  /** Bytes released since the last relief: now, and at the last check. */
  #releasedBytes = 0;
  #releasedSeen = 0;

  /** `onRelief` is called when much memory was released and traffic is quiet. */
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

  /** For all exchanges together. */
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

  /** False if it was already forgotten. */
  forget(exchange: Exchange): boolean {
    if (!this.#open.delete(exchange)) return false;
    this.#heldBytes -= exchange.bytes;
    this.#releasedBytes += exchange.bytes;
    return true;
  }

  /** Counts memory that was released elsewhere. */
  countReleased(bytes: number): void {
    this.#releasedBytes += bytes;
  }

  /** Stops the check for overdue exchanges. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #relieve(onRelief: () => void): void {
    const isQuiet = this.#releasedBytes - this.#releasedSeen < QUIET_BYTES;
    if (isQuiet && this.#heldBytes < RELIEF_BYTES && this.#releasedBytes >= RELIEF_BYTES) {
      this.#releasedBytes = 0;
      onRelief();
    }
    this.#releasedSeen = this.#releasedBytes;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) break; // a set keeps the order of insertion, and so of deadlines
      exchange.res.close();
    }
  }
}
