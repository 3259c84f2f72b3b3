// Rate limits: GCRA as a pure function, every key's tat in memory shared by all threads, and the three
// headers. Knows neither requests nor the clock; time is passed in as whole milliseconds and may jump.
//
// tat, the theoretical arrival time, is the instant at which a key has its full burst again. A request moves
// it forward by one emission interval, and is admitted if it is then at most burst intervals ahead of now:
//
//        now                                  now + burst * interval
//   ------|---------------tat--------|--------------|----->
//                          \_ this request _/  \_ remaining _/
//
// So a key that was idle long enough can send its burst at once, and then one request per interval. With the
// default burst that is up to twice the limit in the worst window; a smaller burst evens it out.

import type { RateRecord } from '../../access/keys-file.ts';
import type { QuotaLeft, QuotaPolicy } from '../replies/reply-headers.ts';
import { clearLease } from './lease-rows.ts';

// Intervals are multiples of 1/1024 ms. Sums of these and of whole milliseconds are exact in a double
// until the year 2248, so exactly `burst` requests pass at one instant, however many passed before;
// thirds would drift. Rounded up, because no key may get more than promised: 1 % less near 10,000
// requests a second, 0.1 % less at 1,000.
const TICKS_PER_MS = 1024;
const TWO_32 = 2 ** 32;

// Rows of the table, 8 bytes each. Shared memory cannot grow in place, so all of it is reserved at once:
// 8 MiB of address space, of which only pages that are written to take memory.
const CAPACITY = 1_048_576;

// A thread can be delayed between reading the clock and counting, while another counts for a later instant. A
// thread delayed for longer than this is replaced, so a larger difference means that the clock was set back.
const MAX_BEHIND_MS = 10_000;

export type GcraRate = {
  readonly emissionIntervalMs: number;
  readonly burst: number;
};

/** A tier's rate, with what would otherwise be computed for each request. */
export type Rate = GcraRate & {
  readonly limit: number;
  readonly windowSeconds: number;
  /** The most that one request can cost. */
  readonly maxCost: number;
  readonly policy: QuotaPolicy;
};

export type Verdict = {
  readonly allowed: boolean;
  /** The tat to store, even after a refusal. */
  readonly tatMs: number;
  /** Requests that would be admitted now: after this one, or in its place if it was refused. */
  readonly remaining: number;
  /** Until the whole burst is available again. */
  readonly resetMs: number;
  /** Until the next request is admitted; 0 if this one was. */
  readonly retryAfterMs: number;
};

export function tierRate(tierName: string, record: RateRecord, maxCost = 1): Rate {
  const { limit, window_seconds: windowSeconds, burst = limit } = record;
  const emissionIntervalMs = Math.ceil((windowSeconds * 1000 * TICKS_PER_MS) / limit) / TICKS_PER_MS;
  const text = rateLimitPolicy(tierName, { limit, windowSeconds, burst });
  const policy: QuotaPolicy = { tier: tierName, header: ['RateLimit-Policy', text] };
  return { limit, windowSeconds, burst, maxCost, emissionIntervalMs, policy };
}

/** `cost` requests are admitted or refused together. */
export function gcra(tatMs: number, nowMs: number, rate: GcraRate, cost = 1): Verdict {
  const { emissionIntervalMs, burst } = rate;
  const latestMs = nowMs + burst * emissionIntervalMs;
  // A tat more than one full burst ahead comes from a clock that was set back, or from a larger tier. Kept,
  // it would lock the key out for as long as the jump was.
  const fromMs = Math.min(Math.max(tatMs, nowMs), latestMs);
  const nextMs = fromMs + cost * emissionIntervalMs;
  if (nextMs > latestMs) {
    const retryAfterMs = nextMs - latestMs;
    // Fewer than the cost, so 0 for a cost of 1.
    const remaining = Math.floor((latestMs - fromMs) / emissionIntervalMs);
    return { allowed: false, tatMs: fromMs, remaining, resetMs: fromMs - nowMs, retryAfterMs };
  }
  const remaining = Math.floor((latestMs - nextMs) / emissionIntervalMs);
  return { allowed: true, tatMs: nextMs, remaining, resetMs: nextMs - nowMs, retryAfterMs: 0 };
}

/** What counts: a process by itself, or with leases of a quota that a fleet shares; see leased-limiter.ts. */
export type Limiter = {
  /** The verdict that `take` would give for one request, without counting. */
  peek(slot: number, rate: Rate, nowMs: number): Verdict;
  /** Counts `cost` requests, or none if they do not pass together. */
  take(slot: number, rate: Rate, nowMs: number, cost?: number): Verdict;
};

/** The next file's keys do not fit; nothing was changed. */
export class RateLimiterFullError extends Error {
  override readonly name = 'RateLimiterFullError';

  constructor(neededCount: number, capacity: number) {
    super(
      `the keys of this file and of the current one need ${neededCount} rows in the rate limiter, which has ` +
        `${capacity}: remove keys from the file, or restart, which forgets the current keys and their usage`,
    );
  }
}

/**
 * Assigns a row to each key. There is one table, in the thread that reads the keys file: it passes the rows
 * on as data, and each thread counts in them through a `RateLimiter` over `memory`. A key keeps its row and
 * its usage from file to file. The table never has more rows than two files have keys.
 */
export class RateLimiterTable {
  readonly memory: SharedArrayBuffer;
  readonly #tats: BigInt64Array;
  readonly #leases: Int32Array | undefined;
  readonly #slots: Map<string, number>;
  readonly #free: number[] = [];
  #rowCount = 0; // up to the last assigned row

  /**
   * Continues an earlier table, given its memory, its assigned rows by key id, and the memory of the leases
   * for these rows if there are any; without one, no row is assigned.
   */
  constructor(
    capacity: number = CAPACITY,
    earlier?: {
      readonly memory: SharedArrayBuffer;
      readonly taken: ReadonlyMap<string, number>;
      readonly leases?: SharedArrayBuffer | undefined;
    },
  ) {
    this.memory = earlier?.memory ?? allocate(capacity);
    this.#tats = new BigInt64Array(this.memory);
    this.#leases = earlier?.leases === undefined ? undefined : new Int32Array(earlier.leases);
    this.#slots = new Map(earlier?.taken);
    const taken = new Set(this.#slots.values());
    for (const slot of taken) this.#rowCount = Math.max(this.#rowCount, slot + 1);
    for (let slot = this.#rowCount - 1; slot >= 0; slot--) if (!taken.has(slot)) this.#free.push(slot);
  }

  /**
   * The row of every key in the file, by id: plain data that can be posted to a thread. Throws
   * RateLimiterFullError without having assigned any row.
   */
  slotsOf(file: { readonly keys: readonly { readonly id: string }[] }): ReadonlyMap<string, number> {
    const ids = new Set(file.keys.map((key) => key.id));
    let neededCount = this.#slots.size;
    for (const id of ids) if (!this.#slots.has(id)) neededCount += 1;
    if (neededCount > this.#tats.length) throw new RateLimiterFullError(neededCount, this.#tats.length);
    return new Map([...ids].map((id) => [id, this.slotOf(id)]));
  }

  /** The key's row, the same until `retain` omits the key. A new row is idle. Throws RateLimiterFullError. */
  slotOf(keyId: string): number {
    const known = this.#slots.get(keyId);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#rowCount;
    if (slot === this.#tats.length) throw new RateLimiterFullError(slot + 1, slot);
    if (slot === this.#rowCount) this.#rowCount += 1;
    // Cleared here, not when freed: a request that still used the row may have written to it since. Rows
    // never assigned before are only read, which takes no memory.
    if (Atomics.load(this.#tats, slot) !== 0n) Atomics.store(this.#tats, slot, 0n);
    if (this.#leases !== undefined) clearLease(this.#leases, slot); // else what another key was granted or owes
    this.#slots.set(keyId, slot);
    return slot;
  }

  /**
   * Frees the rows of all other keys. Requires: every running thread has a ring of these keys only; with an
   * older ring, it would count for a removed key in a row that now belongs to another.
   */
  retain(keyIds: Iterable<string>): void {
    const kept = new Set(keyIds);
    for (const [keyId, slot] of this.#slots) {
      if (kept.has(keyId)) continue;
      this.#slots.delete(keyId);
      this.#free.push(slot);
    }
  }
}

/**
 * Counts, in any thread. A row is one tat in ticks, so each change of state is one compare-and-exchange of
 * 8 bytes. There is no lock, because a thread may be terminated at any instruction: at most its own request
 * is counted without being answered.
 */
export class RateLimiter {
  readonly #tats: BigInt64Array;
  /** The same memory: the low half of each row, then the high one. */
  readonly #halves: Int32Array;
  // One number as halves and as a BigInt, because turning a number into a BigInt costs more than the rest.
  readonly #held = new Int32Array(2);
  readonly #heldBig = new BigInt64Array(this.#held.buffer);
  readonly #next = new Int32Array(2);
  readonly #nextBig = new BigInt64Array(this.#next.buffer);

  /**
   * `memory` belongs to a RateLimiterTable. Without it, the caller assigns rows,
   * and no other thread shares them.
   */
  constructor(memory: SharedArrayBuffer = allocate(CAPACITY)) {
    this.#tats = new BigInt64Array(memory);
    this.#halves = new Int32Array(memory);
  }

  /** The verdict that `take` would give, without counting. */
  peek(slot: number, rate: GcraRate, nowMs: number): Verdict {
    return judge(Number(Atomics.load(this.#tats, slot)) / TICKS_PER_MS, nowMs, rate, 1);
  }

  /**
   * Counts `cost` requests, or none if they do not pass together. Requires: a slot of the table, a rate from
   * `tierRate` whose burst is at least `cost`, a whole `nowMs`.
   */
  take(slot: number, rate: GcraRate, nowMs: number, cost = 1): Verdict {
    const tats = this.#tats;
    const halves = this.#halves;
    const held = this.#held;
    for (;;) {
      // Two loads, so the halves may be of different tats. What is judged by them counts only if the row
      // has both of them at once.
      held[0] = halves[2 * slot];
      held[1] = halves[2 * slot + 1];
      const heldTicks = held[1] * TWO_32 + (held[0] >>> 0);
      const verdict = judge(heldTicks / TICKS_PER_MS, nowMs, rate, cost);
      const nextTicks = verdict.tatMs * TICKS_PER_MS;
      const expected = this.#heldBig[0];
      if (nextTicks === heldTicks) {
        // Refused: without a write, a hammered key costs other threads no cache line.
        if (Atomics.load(tats, slot) === expected) return verdict;
      } else {
        this.#next[0] = nextTicks;
        this.#next[1] = Math.floor(nextTicks / TWO_32);
        if (Atomics.compareExchange(tats, slot, expected, this.#nextBig[0]) === expected) return verdict;
      }
      // Another thread was first: this request is judged again, after that one.
    }
  }
}

/**
 * As `gcra`, except that a tat slightly more than a full burst ahead proves that another thread saw a later
 * `now`. It is not lowered, which would give back requests that the other thread admitted. As tats never
 * fall, at most burst + elapsed / interval requests pass in any period, in whatever order the threads run.
 */
function judge(tatMs: number, nowMs: number, rate: GcraRate, cost: number): Verdict {
  const behindMs = tatMs - rate.burst * rate.emissionIntervalMs - nowMs;
  if (behindMs <= 0 || behindMs > MAX_BEHIND_MS) return gcra(tatMs, nowMs, rate, cost);
  // Always a refusal: the burst is used up at that later instant. Waits are counted from this thread's now.
  const verdict = gcra(tatMs, nowMs + behindMs, rate, cost);
  return {
    ...verdict,
    resetMs: verdict.resetMs + behindMs,
    retryAfterMs: verdict.retryAfterMs + behindMs,
  };
}

function allocate(capacity: number): SharedArrayBuffer {
  return new SharedArrayBuffer(capacity * BigInt64Array.BYTES_PER_ELEMENT);
}

/** `"standard";q=5000;w=86400`: the quota and its window, with our own parameter for a burst that differs. */
export function rateLimitPolicy(
  tierName: string,
  rate: { readonly limit: number; readonly windowSeconds: number; readonly burst: number },
): string {
  const burst = rate.burst === rate.limit ? '' : `;vulndex-burst=${rate.burst}`;
  return `"${tierName}";q=${rate.limit};w=${rate.windowSeconds}${burst}`;
}

/**
 * What is left, and the seconds until all of it is available again. For a refusal, these are the seconds
 * until the request would be admitted, like `Retry-After`: by the draft, that header must not end before.
 */
export function quotaLeft({ policy }: Pick<Rate, 'policy'>, verdict: Verdict): QuotaLeft {
  const { allowed, remaining, resetMs, retryAfterMs } = verdict;
  return {
    policy,
    remaining,
    seconds: allowed ? Math.ceil(resetMs / 1000) : retryAfterSeconds(retryAfterMs),
  };
}

/** One or two sentences for the person whose request was refused. `per` says what it costs a request for. */
export function describeRefusal(rate: Rate, verdict: Verdict, cost: number, per: string): string {
  const { limit, windowSeconds, burst } = rate;
  const again = `ry again in ${retryAfterSeconds(verdict.retryAfterMs)} s.`;
  const quota = `quota of ${limit} requests per ${windowSeconds} s`;
  if (cost > 1) return `This body costs ${cost} requests, ${per}, and fewer are left; t${again}`;
  if (burst === limit) return `The ${quota} is used up; t${again}`;
  const every = Number((windowSeconds / limit).toPrecision(3));
  const used = `The burst of ${burst} ${burst === 1 ? 'request' : 'requests'} is used up`;
  return `${used}; of the ${quota}, one comes back every ${every} s. T${again}`;
}

/** For `Retry-After`: whole seconds after which the next request is admitted, never 0. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000));
}
