// What a transport promises: it carries requests to the service and replies to clients, within limits, and tells what
// became of them. uws.ts and node.ts keep it; transports.ts says which of them runs.

import type { RequestObserver } from './observer.ts';
import type { Reply } from './responses.ts';
import type { Service } from './service.ts';

export type TransportKind = 'uws' | 'node';

/** `bufferBytes` is what it puts replies together in, which counts towards what may be held. */
export type ServingSide = Pick<Service, 'handle'> & Partial<Pick<Service, 'bufferBytes'>>;

export interface TransportOptions {
  readonly service: ServingSide;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Other threads listen on the same port. Requires: a fixed port, and a transport that can; see transports.ts. */
  readonly sharesPort?: boolean;
  readonly limits?: Partial<TransportLimits>;
  readonly observer?: RequestObserver;
  /** Hears of every reply when it was handed to the socket whole, or for the part that was when it was cut off. */
  readonly onReply?: (sent: SentReply, bodyBytes: number, isWhole: boolean) => void;
  /** Hears when much memory that replies needed has been let go and it is quiet: a good time to collect garbage. */
  readonly onRelief?: () => void;
}

/** What remains to be said of a reply when its body is on its way. */
export interface SentReply extends Pick<Reply, 'about' | 'status'> {
  readonly method: string;
  /** From the head of the request to the reply being handed to the socket for as much as it took. */
  readonly tookMs: number;
}

/** What one client may hold on to. */
export interface TransportLimits {
  /** Most bytes kept for one connection that reads slower than we write. */
  readonly maxPendingBytes: number;
  /** Most bytes kept for all of them together, bodies that are awaited and what replies are put together in too. */
  readonly maxTotalPendingBytes: number;
  /** Longest a reply may take to leave, and a body to arrive. */
  readonly exchangeTimeoutMs: number;
  /** Most open connections; one more is closed as soon as it is there. */
  readonly maxConnections: number;
}

export const DEFAULT_LIMITS: TransportLimits = {
  maxPendingBytes: 64 << 20,
  maxTotalPendingBytes: 512 << 20,
  exchangeTimeoutMs: 60_000,
  maxConnections: 20_000,
};

// Room for the longest path with every byte escaped and a long key, so that an over-long part is told so by us.
export const MAX_HEADER_BYTES = 16 * 1024;
/** Bodies of this size and more count towards relief once they are sent: what they were put together in is let go. */
export const LARGE_BYTES = 1 << 20;
/** How often `idle` looks. */
export const IDLE_POLL_MS = 20;

/**
 * A server that does not listen yet. Requests of one connection are answered one after the other, in their order; a
 * head or a body that is not there after 10 to 12 s, and a connection on which nothing arrives for as long, is closed.
 */
export interface Transport {
  readonly port: number;
  /** Bytes held for connections that read slower than we write, and for bodies that are awaited. */
  readonly pendingBytes: number;
  /** Accepts connections, again after `stopListening`. Rejects when the address cannot be had, and says which. */
  startListening(): Promise<void>;
  /** Stops accepting connections; those that are open go on. */
  stopListening(): void;
  /** From now on every reply is the last one of its connection, and says so. */
  drain(): void;
  /**
   * Resolves when no reply is on its way and no body is awaited, at the latest when they time out. For as long as
   * `patienceMs` it also waits for those that are connected to leave, or to be told to.
   */
  idle(patienceMs?: number): Promise<void>;
  /** Closes every connection too. */
  close(): void;
}
