// Who may send how much: GCRA as a pure function, the table of every key's tat, and the three headers. Knows no
// request and no clock; time arrives in whole milliseconds and may jump.
//
// tat, the theoretical arrival time, is the instant at which a key has its full burst again. A request moves it one
// emission interval on and is admitted while that leaves it at most burst intervals ahead of now:
//
//        now                                  now + burst * interval
//   ------|---------------tat--------|--------------|----->
//                          \_ this request _/  \_ remaining _/
//
// A key that is idle long enough may therefore send its burst at once, and then one request per interval. With the
// default burst that is up to twice the limit in an unlucky window; a smaller burst evens it out.

import type { RateRecord } from '../access/keys-file.ts';

// Intervals are whole 1/1024 ms. Sums of such numbers and of whole milliseconds are exact in a double until the year
// 2248, so exactly `burst` requests pass at one instant however many have passed before; thirds would drift. Rounded
// up, as a key must not get more than was promised: less by 1 % near 10,000 requests a second, by 0.1 % at 1,000.
const TICKS_PER_MS = 1024;

const FIRST_CAPACITY = 64; // rows; doubles when the keys outgrow it

export type GcraRate = {
  readonly emissionIntervalMs: number;
  readonly burst: number;
};

/** A tier's rate with all that each request would otherwise compute again. */
export type Rate = GcraRate & {
  readonly limit: number;
  readonly windowSeconds: number;
  /** The value of the `RateLimit-Policy` header. */
  readonly policy: string;
};

export type Verdict = {
  readonly allowed: boolean;
  /** To be stored, also after a refusal. */
  readonly tatMs: number;
  /** Requests that would be admitted now, after this one. */
  readonly remaining: number;
  /** Until the whole burst is there again. */
  readonly resetMs: number;
  /** Until the next request is admitted; 0 when this one was. */
  readonly retryAfterMs: number;
};

export function tierRate(tierName: string, record: RateRecord): Rate {
  const { limit, window_seconds: windowSeconds, burst = limit } = record;
  const emissionIntervalMs = Math.ceil((windowSeconds * 1000 * TICKS_PER_MS) / limit) / TICKS_PER_MS;
  const policy = rateLimitPolicy(tierName, { limit, windowSeconds, burst });
  return { limit, windowSeconds, burst, emissionIntervalMs, policy };
}

export function gcra(tatMs: number, nowMs: number, rate: GcraRate): Verdict {
  const { emissionIntervalMs, burst } = rate;
  const latestMs = nowMs + burst * emissionIntervalMs;
  // A tat further ahead than one full burst comes from a clock that was set back, or from a wider tier; kept, it
  // would lock the key out for as long as the jump was.
  const fromMs = Math.min(Math.max(tatMs, nowMs), latestMs);
  const nextMs = fromMs + emissionIntervalMs;
  if (nextMs > latestMs) {
    const retryAfterMs = nextMs - latestMs;
    return { allowed: false, tatMs: fromMs, remaining: 0, resetMs: fromMs - nowMs, retryAfterMs };
  }
  const remaining = Math.floor((latestMs - nextMs) / emissionIntervalMs);
  return { allowed: true, tatMs: nextMs, remaining, resetMs: nextMs - nowMs, retryAfterMs: 0 };
}

/**
 * Every limited key's tat, one row per key id. A reload asks `slotOf` for each key of the new file, and when no
 * request can hold a row of the old one, `retain` frees the rows of keys that are gone: the table never has more
 * rows than two files have keys.
 */
export class RateLimiter {
  #tats = new Float64Array(FIRST_CAPACITY);
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #rowCount = 0; // rows ever handed out; beyond it the table is zero, which is idle

  /** The key's row, the same until `retain` leaves the key out. A new row is idle. */
  slotOf(keyId: string): number {
    const known = this.#slots.get(keyId);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#addRow();
    // Here and not when it was freed: a request that still held the row may have written to it since.
    this.#tats[slot] = 0;
    this.#slots.set(keyId, slot);
    return slot;
  }

  /** Frees the rows of all other keys. */
  retain(keyIds: Iterable<string>): void {
    const kept = new Set(keyIds);
    for (const [keyId, slot] of this.#slots) {
      if (kept.has(keyId)) continue;
      this.#slots.delete(keyId);
      this.#free.push(slot);
    }
  }

  /** Counts one request. Requires: a slot from `slotOf`. */
  take(slot: number, rate: GcraRate, nowMs: number): Verdict {
    const verdict = gcra(this.#tats[slot], nowMs, rate);
    this.#tats[slot] = verdict.tatMs;
    return verdict;
  }

  #addRow(): number {
    if (this.#rowCount === this.#tats.length) {
      const grown = new Float64Array(this.#tats.length * 2);
      grown.set(this.#tats);
      this.#tats = grown;
    }
    const slot = this.#rowCount;
    this.#rowCount += 1;
    return slot;
  }
}

/** `"standard";q=5000;w=86400`: the quota and its window, with a parameter of our own for a burst that differs. */
export function rateLimitPolicy(
  tierName: string,
  rate: { readonly limit: number; readonly windowSeconds: number; readonly burst: number },
): string {
  const burst = rate.burst === rate.limit ? '' : `;vulndex-burst=${rate.burst}`;
  return `"${tierName}";q=${rate.limit};w=${rate.windowSeconds}${burst}`;
}

/** `"standard";r=4999;t=18`: what is left, and the seconds until all of it is back. */
export function rateLimit(tierName: string, remaining: number, resetMs: number): string {
  return `"${tierName}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
}

/** For `Retry-After`: whole seconds after which the next request is admitted, never 0. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000));
}
