// Counts against quotas that a fleet shares: a request spends a token that was leased before, in one
// compare-and-exchange, and asks nobody. Where the tokens come from is lease-rows.ts and fleet/leases/.
// Headers say what the fleet has left, as last heard, and what is held here.

import { allowanceOf, askedOf, leaseRow, REPLICAS, WAKE, withheldOf } from './lease-rows.ts';
import type { Limiter, Rate, Verdict } from './rate-limit.ts';

const TICKS_PER_MS = 1024;
const TWO_32 = 2 ** 32;
/** In which a lease arrives, if the fleet has tokens left. */
const LEASE_MS = 200;

export class LeasedLimiter implements Limiter {
  readonly #words: Int32Array;
  /** Tats: the low half of each row, then the high one. */
  readonly #halves: Int32Array;
  // The last allowance: requests in a row are mostly of the same tier.
  #rate: Rate | undefined;
  #replicas = 0;
  #known = 0;

  /** `limiter` is the memory of a RateLimiterTable, `leases` was allocated for it. */
  constructor(limiter: SharedArrayBuffer, leases: SharedArrayBuffer) {
    this.#words = new Int32Array(leases);
    this.#halves = new Int32Array(limiter);
  }

  peek(slot: number, rate: Rate, nowMs: number): Verdict {
    const balance = Atomics.load(this.#words, leaseRow(slot));
    const missing = 1 - this.#allowance(rate) - balance;
    return missing > 0
      ? this.#refused(slot, rate, nowMs, balance, missing, 1)
      : this.#admitted(slot, rate, nowMs, balance - 1);
  }

  take(slot: number, rate: Rate, nowMs: number, cost = 1): Verdict {
    const words = this.#words;
    const row = leaseRow(slot);
    const allowance = this.#allowance(rate);
    const least = cost - allowance;
    const half = -(allowance >> 1);
    for (;;) {
      const balance = Atomics.load(words, row);
      if (balance < least) {
        // Written once between two looks: a hammered key costs other threads no cache line.
        if (words[askedOf(row)] < cost) Atomics.store(words, askedOf(row), cost);
        return this.#refused(slot, rate, nowMs, balance, least - balance, cost);
      }
      if (Atomics.compareExchange(words, row, balance, balance - cost) !== balance) continue;
      // Once on the way down: more is spent than was expected.
      if (balance >= half && balance - cost < half) Atomics.notify(words, WAKE);
      return this.#admitted(slot, rate, nowMs, balance - cost);
    }
  }

  #allowance(rate: Rate): number {
    const replicas = this.#words[REPLICAS];
    if (rate !== this.#rate || replicas !== this.#replicas) {
      this.#rate = rate;
      this.#replicas = replicas;
      this.#known = allowanceOf(rate, this.#words);
    }
    return this.#known;
  }

  #admitted(slot: number, { burst, emissionIntervalMs }: Rate, nowMs: number, balance: number): Verdict {
    const held = balance + this.#words[withheldOf(leaseRow(slot))];
    const tatMs = Math.max(this.#tatMs(slot), nowMs);
    const left = burst - Math.ceil((tatMs - nowMs) / emissionIntervalMs);
    const remaining = Math.max(0, Math.min(left + held, burst));
    const resetMs = Math.max(0, tatMs - nowMs - held * emissionIntervalMs);
    return { allowed: true, tatMs, remaining, resetMs, retryAfterMs: 0 };
  }

  #refused(
    slot: number,
    { burst, emissionIntervalMs }: Rate,
    nowMs: number,
    balance: number,
    missing: number,
    cost: number,
  ): Verdict {
    const held = balance + this.#words[withheldOf(leaseRow(slot))];
    const tatMs = Math.max(this.#tatMs(slot), nowMs);
    const left = burst - Math.ceil((tatMs - nowMs) / emissionIntervalMs);
    const remaining = Math.max(0, Math.min(left + held, cost - 1));
    const resetMs = Math.max(0, tatMs - nowMs - held * emissionIntervalMs);
    const untilMs = tatMs - nowMs + (missing - burst) * emissionIntervalMs;
    return { allowed: false, tatMs, remaining, resetMs, retryAfterMs: Math.max(LEASE_MS, untilMs) };
  }

  #tatMs(slot: number): number {
    const halves = this.#halves;
    for (;;) {
      const high = halves[2 * slot + 1];
      const low = halves[2 * slot] >>> 0;
      // It is set a few times a second: the halves are of one tat.
      if (halves[2 * slot + 1] === high) return (high * TWO_32 + low) / TICKS_PER_MS;
    }
  }
}
