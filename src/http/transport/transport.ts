// The interface of a transport: it passes requests to the service and replies to clients, enforces limits,
// and reports how each exchange ended. uws.ts and node.ts implement it; transports.ts chooses between them.

import type { RequestObserver } from '../observer.ts';
import type { Reply } from '../replies/responses.ts';
import type { Service } from '../service.ts';

export type TransportKind = 'uws' | 'node';

/** `bufferBytes` is the memory in which replies are built; it counts towards what may be held. */
export type ServingSide = Pick<Service, 'handle'> & Partial<Pick<Service, 'bufferBytes' | 'remembers'>>;

export interface TransportOptions {
  readonly service: ServingSide;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Other threads listen on the same port. Requires: a fixed port, and `canSharePort` of transports.ts. */
  readonly sharesPort?: boolean;
  readonly limits?: Partial<TransportLimits>;
  readonly observer?: RequestObserver;
  /**
   * Called for every reply: when the socket has taken all of it, or with the
   * bytes it took when it was cut off.
   */
  readonly onReply?: (sent: SentReply, bodyBytes: number, isWhole: boolean) => void;
  readonly slow?: SlowObserver;
  /** Called when replies have released much memory and traffic is quiet: a good time to collect garbage. */
  readonly onRelief?: () => void;
}

/** Is told of slow requests. */
export interface SlowObserver {
  /** It is told of those that took longer. */
  readonly thresholdMs: number;
  /** `path` is as sent, without the query. */
  note(sent: SentReply, path: string): void;
}

export const NEVER_SLOW: SlowObserver = { thresholdMs: Number.POSITIVE_INFINITY, note() {} };

/** What is kept of a reply while its body is being sent. */
export interface SentReply extends Pick<Reply, 'about' | 'status'> {
  readonly method: string;
  /** From the head of the request until the socket has taken what it takes of the reply at once. */
  readonly tookMs: number;
}

/** The resources that clients may use. */
export interface TransportLimits {
  /** Most bytes held for one connection that reads more slowly than the server writes. */
  readonly maxPendingBytes: number;
  /**
   * Most bytes held for all connections, including request bodies that are not answered yet and the
   * buffers that replies are built in.
   */
  readonly maxTotalPendingBytes: number;
  /** Longest time for a reply to be sent, and for a request body to arrive. */
  readonly exchangeTimeoutMs: number;
  /**
   * Longest time for a head or a body to arrive, and without any byte. The addon
   * does not ask: its own is 10 s.
   */
  readonly arrivalTimeoutMs: number;
  /** Most open connections; any further one is closed at once. */
  readonly maxConnections: number;
  /** Time of one turn of the event loop for requests that take long. */
  readonly turnMs: number;
}

export const DEFAULT_LIMITS: TransportLimits = {
  maxPendingBytes: 64 << 20,
  maxTotalPendingBytes: 512 << 20,
  exchangeTimeoutMs: 60_000,
  arrivalTimeoutMs: 10_000,
  maxConnections: 20_000,
  turnMs: 5,
};

// Enough for the longest path with every byte escaped and a long key, so that an
// over-long part gets our own answer.
export const MAX_HEADER_BYTES = 16 * 1024;
/** Of a head: what the addon accepts. */
export const MAX_FIELDS = 98;
/**
 * Over the addon, bodies larger than this count towards relief once they are sent, because the
 * buffer that held them shrinks.
 */
export const LARGE_BYTES = 1 << 20;
/** How often `idle` checks. */
export const IDLE_POLL_MS = 20;

/**
 * A server, which does not listen at first. Requests of one connection are answered one at a
 * time, in order. A connection is closed when a head or a body has not arrived after 10 to 12 s,
 * or when nothing arrives for as long.
 */
export interface Transport {
  readonly port: number;
  /** Bytes held for slow readers and for incomplete request bodies. */
  readonly pendingBytes: number;
  /**
   * Accepts connections, also again after `stopListening`. Rejects when the address
   * is not available, and names it.
   */
  startListening(): Promise<void>;
  /** Stops accepting connections; open ones stay open. */
  stopListening(): void;
  /** From now on every reply carries `Connection: close` and closes its connection. */
  drain(): void;
  /**
   * Resolves when no reply is being sent and no body is awaited, at the latest when these time out. For up to
   * `patienceMs` it also waits for open connections to close, or to send the request whose reply closes them.
   */
  idle(patienceMs?: number): Promise<void>;
  /** Stops listening and closes every connection. */
  close(): void;
}
