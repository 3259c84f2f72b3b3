// When a request is sent again, and after how long. Time and chance are arguments.

/** Statuses that a later attempt may not get. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface RetryPolicy {
  /** Requests in all, the first included. */
  readonly attempts: number;
  /** The wait before the second request; doubled for each one after it. */
  readonly firstDelayMs: number;
  /** No wait of our own choice is longer. */
  readonly maxDelayMs: number;
  /** A server that asks for more is not waited for. */
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = {
  attempts: 7, // 1 + 2 + 4 + 8 + 16 + 30 seconds: a restart, a swap or a short outage
  firstDelayMs: 1000,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 15 * 60_000,
};

export function isPassing(status: number): boolean {
  return PASSING.has(status);
}

/**
 * Before the attempt after `attempt` (from 1). Up to a quarter less than the full wait, so that clients
 * spread out.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: number): number {
  const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (1 - random / 4));
}

/** The wait that a Retry-After header asks for: seconds or an HTTP date. Undefined if it is neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts much else, such as "-5".
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowMs);
}
