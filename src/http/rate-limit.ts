// Who may send how much: GCRA as a pure function, every key's tat in memory that all threads share, and the three
// headers. Knows no request and no clock; time arrives in whole milliseconds and may jump.
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

// Rows of the table, 8 bytes each. Memory that threads share cannot grow where it lies, so all of it is reserved at
// once: 8 MiB of addresses, of which the system hands out only the pages that are written to.
const CAPACITY = 1_048_576;

// A thread can be held up between reading the clock and counting, and another count for a later instant meanwhile.
// One that is held up for longer than this is replaced; a clock that was set back by more is believed.
const MAX_BEHIND_MS = 10_000;

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
  /** Requests that would be admitted now, after this one or, when it was refused, in its place. */
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

/** `cost` is how many requests are admitted or refused together. */
export function gcra(tatMs: number, nowMs: number, rate: GcraRate, cost = 1): Verdict {
  const { emissionIntervalMs, burst } = rate;
  const latestMs = nowMs + burst * emissionIntervalMs;
  // A tat further ahead than one full burst comes from a clock that was set back, or from a wider tier; kept, it
  // would lock the key out for as long as the jump was.
  const fromMs = Math.min(Math.max(tatMs, nowMs), latestMs);
  const nextMs = fromMs + cost * emissionIntervalMs;
  if (nextMs > latestMs) {
    const retryAfterMs = nextMs - latestMs;
    const remaining = Math.floor((latestMs - fromMs) / emissionIntervalMs); // fewer than the cost, so 0 for a cost of 1
    return { allowed: false, tatMs: fromMs, remaining, resetMs: fromMs - nowMs, retryAfterMs };
  }
  const remaining = Math.floor((latestMs - nextMs) / emissionIntervalMs);
  return { allowed: true, tatMs: nextMs, remaining, resetMs: nextMs - nowMs, retryAfterMs: 0 };
}

/** The next file's keys do not fit; nothing was changed. */
export class RateLimiterFullError extends Error {
  override readonly name = 'RateLimiterFullError';

  constructor(neededCount: number, capacity: number) {
    super(
      `the keys of this file and of the one in force need ${neededCount} rows in the rate limiter, which has ` +
        `${capacity}: remove keys from the file, or restart, which forgets the keys in force and what they have used`,
    );
  }
}

/**
 * Which key has which row. There is one table for all threads, in the one that reads the keys file: it hands the rows
 * out as data, and each thread counts in them through a `RateLimiter` over `memory`. A key keeps its row and what it
 * has used from file to file. The table never has more rows than two files have keys.
 */
export class RateLimiterTable {
  readonly memory: SharedArrayBuffer;
  readonly #tats: BigInt64Array;
  readonly #slots: Map<string, number>;
  readonly #free: number[] = [];
  #rowCount = 0; // rows handed out, up to the last

  /**
   * With the memory of an earlier table, and the rows that are taken in it by key id, it goes on where that one ended;
   * one made anew has none.
   */
  constructor(
    capacity: number = CAPACITY,
    earlier?: { memory: SharedArrayBuffer; taken: ReadonlyMap<string, number> },
  ) {
    this.memory = earlier?.memory ?? allocate(capacity);
    this.#tats = new BigInt64Array(this.memory);
    this.#slots = new Map(earlier?.taken);
    const taken = new Set(this.#slots.values());
    for (const slot of taken) this.#rowCount = Math.max(this.#rowCount, slot + 1);
    for (let slot = this.#rowCount - 1; slot >= 0; slot--) if (!taken.has(slot)) this.#free.push(slot);
  }

  /**
   * The row of every key in the file, by id: plain data that can be posted to a thread. Throws RateLimiterFullError,
   * and then no row has been handed out.
   */
  slotsOf(file: { readonly keys: readonly { readonly id: string }[] }): ReadonlyMap<string, number> {
    const ids = new Set(file.keys.map((key) => key.id));
    let neededCount = this.#slots.size;
    for (const id of ids) if (!this.#slots.has(id)) neededCount += 1;
    if (neededCount > this.#tats.length) throw new RateLimiterFullError(neededCount, this.#tats.length);
    return new Map([...ids].map((id) => [id, this.slotOf(id)]));
  }

  /** The key's row, the same until `retain` leaves the key out. A new row is idle. Throws RateLimiterFullError. */
  slotOf(keyId: string): number {
    const known = this.#slots.get(keyId);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#rowCount;
    if (slot === this.#tats.length) throw new RateLimiterFullError(slot + 1, slot);
    if (slot === this.#rowCount) this.#rowCount += 1;
    // Here and not when it was freed: a request that still held the row may have written to it since. Rows that
    // nobody had are only looked at, which takes no memory.
    if (Atomics.load(this.#tats, slot) !== 0n) Atomics.store(this.#tats, slot, 0n);
    this.#slots.set(keyId, slot);
    return slot;
  }

  /**
   * Frees the rows of all other keys. Requires: every thread has a ring of these keys only, or is gone; one with an
   * older ring would count for a key that is gone in the row of the key that comes after it.
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
 * Counts, in any thread. A row is one tat in ticks, so each step from one state to the next is one exchange of 8
 * bytes. There is no lock: a thread may be stopped for good at any instruction, and at most its own request is
 * counted without being answered.
 */
export class RateLimiter {
  readonly #tats: BigInt64Array;

  /** `memory` is a RateLimiterTable's; without it, rows are the caller's to hand out and no other thread's. */
  constructor(memory: SharedArrayBuffer = allocate(CAPACITY)) {
    this.#tats = new BigInt64Array(memory);
  }

  /** What `take` would say, without counting. */
  peek(slot: number, rate: GcraRate, nowMs: number): Verdict {
    return judge(Number(Atomics.load(this.#tats, slot)) / TICKS_PER_MS, nowMs, rate, 1);
  }

  /**
   * Counts `cost` requests, or none when they do not pass together. Requires: a slot of the table, a rate from
   * `tierRate` whose burst is no smaller than `cost`, a whole `nowMs`.
   */
  take(slot: number, rate: GcraRate, nowMs: number, cost = 1): Verdict {
    let held = Atomics.load(this.#tats, slot);
    for (;;) {
      const verdict = judge(Number(held) / TICKS_PER_MS, nowMs, rate, cost);
      const next = BigInt(verdict.tatMs * TICKS_PER_MS);
      if (next === held) return verdict; // refused: a key that is hammered costs the other threads no cache line
      const found = Atomics.compareExchange(this.#tats, slot, held, next);
      if (found === held) return verdict;
      held = found; // another thread came between; its step stands, and this request is judged after it
    }
  }
}

/**
 * As `gcra`, but a tat that is little more than a full burst ahead is taken as proof that another thread has seen a
 * later `now`, and stays: lowering it would give back requests which that thread has admitted. With tats that never
 * fall, at most burst + elapsed / interval pass in any stretch, in whatever order the threads come.
 */
function judge(tatMs: number, nowMs: number, rate: GcraRate, cost: number): Verdict {
  const behindMs = tatMs - rate.burst * rate.emissionIntervalMs - nowMs;
  if (behindMs <= 0 || behindMs > MAX_BEHIND_MS) return gcra(tatMs, nowMs, rate, cost);
  // Always a refusal: the burst is used up at the instant that was seen. The waits count from this thread's now.
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

/** `"standard";q=5000;w=86400`: the quota and its window, with a parameter of our own for a burst that differs. */
export function rateLimitPolicy(
  tierName: string,
  rate: { readonly limit: number; readonly windowSeconds: number; readonly burst: number },
): string {
  const burst = rate.burst === rate.limit ? '' : `;vulndex-burst=${rate.burst}`;
  return `"${tierName}";q=${rate.limit};w=${rate.windowSeconds}${burst}`;
}

/**
 * `"standard";r=4999;t=18`: what is left, and the seconds until all of it is back. Of a refusal, t is the seconds until
 * the request would be admitted, as `Retry-After` says: the draft wants that header not to end before t.
 */
export function rateLimit(tierName: string, verdict: Verdict): string {
  const { allowed, remaining, resetMs, retryAfterMs } = verdict;
  const seconds = allowed ? Math.ceil(resetMs / 1000) : retryAfterSeconds(retryAfterMs);
  return `"${tierName}";r=${remaining};t=${seconds}`;
}

/** One sentence or two for the person whose request was refused. */
export function describeRefusal(rate: Rate, verdict: Verdict, cost: number): string {
  const { limit, windowSeconds, burst } = rate;
  const again = `ry again in ${retryAfterSeconds(verdict.retryAfterMs)} s.`;
  const quota = `quota of ${limit} requests per ${windowSeconds} s`;
  if (cost > 1) return `This batch costs ${cost} requests, one for each item, and fewer are left; t${again}`;
  if (burst === limit) return `The ${quota} is used up; t${again}`;
  const every = Number((windowSeconds / limit).toPrecision(3));
  const used = `The burst of ${burst} ${burst === 1 ? 'request' : 'requests'} is used up`;
  return `${used}; of the ${quota}, one comes back every ${every} s. T${again}`;
}

/** For `Retry-After`: whole seconds after which the next request is admitted, never 0. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000));
}
