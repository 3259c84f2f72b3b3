// The access log's two decisions: which requests are written down, and what is said of one. Nothing that could hold
// a secret gets in: no key, no body, no query, no path, no text of the client's but a request id of a fixed alphabet.

export interface AccessRecord {
  /** One of the methods of HTTP, or `other`: a method is any word a client likes to send. */
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
  /** Of the body, as many as the socket took. */
  readonly bytes: number;
  /** There only when the reply was cut off: the client got a part of it. */
  readonly cutOff?: true;
  /** Null when the client sent none that is sane and none was made up; problems have one. */
  readonly requestId: string | null;
  /** The key's id in the keys file; null when no key was accepted. */
  readonly keyId: string | null;
}

/** What is known of a request when its reply has been handed to the socket. */
export interface Exchange {
  readonly method: string;
  readonly label: string;
  readonly status: number;
  readonly tookMs: number;
  readonly bodyBytes: number;
  readonly isWhole: boolean;
  /** '' for none. Requires: checked, as the service does. */
  readonly requestId: string;
  readonly keyId: string | undefined;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

export function accessRecord(exchange: Exchange): AccessRecord {
  const { method, label, status, tookMs, bodyBytes, isWhole, requestId, keyId } = exchange;
  return {
    method: METHODS.has(method) ? method : 'other',
    route: label,
    status,
    tookMs: Math.round(tookMs * 1000) / 1000, // to the microsecond; the clock is no finer
    bytes: bodyBytes,
    ...(isWhole ? {} : { cutOff: true }),
    requestId: requestId === '' ? null : requestId,
    keyId: keyId ?? null,
  };
}

/**
 * Takes a share of the requests, evenly spread and by counting: of any n in a row it takes n * rate, give or take
 * one. Counting costs less than a random number, and a test can say which requests are taken. A client that sends
 * in step with the count could hide, which is why this is a sample and no audit.
 */
export class AccessSampler {
  readonly #rate: number;
  #seen = 0;

  /** Requires: rate from 0 (none) to 1 (all). */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Counts a request, unless it is a health probe: these would fill the log of a quiet server. */
  shouldLog(label: string): boolean {
    if (this.#rate === 0 || label === 'healthz' || label === 'readyz') return false;
    // Products of the count, not a running sum: a sum of fractions would drift.
    const before = Math.floor(this.#seen * this.#rate);
    this.#seen += 1;
    return Math.floor(this.#seen * this.#rate) > before;
  }
}
