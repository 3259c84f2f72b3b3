// What both transports keep account of: the exchanges that outlive their handler, the memory that may be held
// for them, and what the end of a request tells whom.

import { performance } from 'node:perf_hooks';
import { type RequestObserver, SILENT_OBSERVER } from '../observer.ts';
import { WorkQueue } from '../work/work-queue.ts';
import { type Exchange, Exchanges } from './exchanges.ts';
import {
  DEFAULT_LIMITS,
  IDLE_POLL_MS,
  NEVER_SLOW,
  type SentReply,
  type ServingSide,
  type SlowObserver,
  type TransportLimits,
  type TransportOptions,
} from './transport.ts';

/** A caller's bodies may take one of these, and so much stays free of bodies. */
const SHARES = 8;

export class Ledger {
  readonly limits: TransportLimits;
  readonly exchanges: Exchanges;
  readonly works: WorkQueue;
  readonly observer: RequestObserver;
  readonly onReply: TransportOptions['onReply'];
  readonly slow: SlowObserver;
  readonly #service: ServingSide;

  constructor({ service, limits, observer, onReply, slow, onRelief }: TransportOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.exchanges = new Exchanges(this.limits.exchangeTimeoutMs, onRelief);
    this.works = new WorkQueue(this.limits.turnMs);
    this.observer = observer ?? SILENT_OBSERVER;
    this.onReply = onReply;
    this.slow = slow ?? NEVER_SLOW;
    this.#service = service;
  }

  /** Whether this many more bytes may be held. */
  hasRoom(bytes: number): boolean {
    const { bufferBytes = 0 } = this.#service;
    return this.exchanges.heldBytes + bufferBytes + bytes <= this.limits.maxTotalPendingBytes;
  }

  /**
   * Whether this many more bytes of a body may be held for a caller. Bodies leave room for replies, and those
   * of one caller leave room for others: else a few dozen half-sent ones would close everybody's connections.
   */
  hasRoomFor(caller: string, bytes: number): boolean {
    const share = this.limits.maxTotalPendingBytes / SHARES;
    return this.exchanges.heldFor(caller) + bytes <= share && this.hasRoom(bytes + share);
  }

  /** Forgets the exchange of a request that will not be answered. */
  abandon(exchange: Exchange): void {
    if (this.exchanges.forget(exchange)) this.observer.abandoned();
  }

  /** The socket took the whole reply, or it was cut off after that many bytes of its body. */
  ended(sent: SentReply, bodyBytes: number, isWhole: boolean): void {
    if (isWhole) this.observer.ended(sent.about.label, sent.status, sent.tookMs, bodyBytes);
    else this.observer.cutOff(bodyBytes);
    this.onReply?.(sent, bodyBytes, isWhole);
  }

  /** What a transport's `idle` does. */
  async idle(connectionCount: () => number, patienceMs: number): Promise<void> {
    this.exchanges.limitDownloads();
    const startMs = performance.now();
    const isPatient = (): boolean => connectionCount() > 0 && performance.now() - startMs < patienceMs;
    while (this.exchanges.size > 0 || isPatient()) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS));
    }
  }

  close(): void {
    this.exchanges.close();
    this.works.close();
  }
}
