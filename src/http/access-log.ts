// Decides which requests go into the access log, and what a record contains. Nothing that could hold a
// secret: no key, body, query or path, and no text from the client except a request id of a fixed alphabet
// and a trace of a fixed form.

import type { SentReply } from './transport/transport.ts';

interface AccessRecord {
  /** A standard HTTP method, or `other`: a client can send any word as its method. */
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
  /** Bytes of the body that the socket took. */
  readonly bytes: number;
  /** Present only if the reply was cut off: the client got a part of it. */
  readonly cutOff?: true;
  /** Null if the client sent no valid one and none was generated; problems always have one. */
  readonly requestId: string | null;
  /**
   * The key's id in the keys file, or `anonymous` on a mount that asks for none;
   * null when no key was accepted.
   */
  readonly keyId: string | null;
  /** Present only if the client sent a valid one. */
  readonly traceparent?: string;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** Requires: an id that the service has checked. */
export function accessRecord(
  { method, about, status, tookMs }: SentReply,
  bodyBytes: number,
  isWhole: boolean,
): AccessRecord {
  const { id, label, keyId, traceparent } = about;
  return {
    method: METHODS.has(method) ? method : 'other',
    route: label,
    status,
    tookMs: Math.round(tookMs * 1000) / 1000, // to the microsecond; the clock is no finer
    bytes: bodyBytes,
    ...(isWhole ? {} : { cutOff: true }),
    requestId: id === '' ? null : String(id),
    keyId: keyId ?? null,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Selects a share of the requests, evenly spread, by counting: of any n in a row it takes n * rate, give or
 * take one. Counting costs less than a random number, and a test can say which requests are taken. A client
 * that sends in step with the count could hide, so this is a sample, not an audit.
 */
export class AccessSampler {
  readonly #rate: number;
  #seen = 0;

  /** Requires: rate from 0 (none) to 1 (all). */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Counts the request, unless it is a health probe: those would fill the log of a quiet server. */
  shouldLog(label: string): boolean {
    if (this.#rate === 0 || label === 'healthz' || label === 'readyz') return false;
    // Multiplies the count, because a running sum of fractions would drift.
    const before = Math.floor(this.#seen * this.#rate);
    this.#seen += 1;
    return Math.floor(this.#seen * this.#rate) > before;
  }
}
