// Tokens that this process has leased from quotas which a fleet shares: a row of numbers for each key, in
// shared memory, beside the limiter's tats. Owns the layout. Serving threads spend (leased-limiter.ts); one
// thread grants and takes back, and counts nothing else. What is leased, and from whom, is fleet/'s.
//
//   | replicas: 1 word | wake: 1 word | 2 words unused | per row: balance, asked, withheld, 1 word unused |
//
// A request is admitted if `balance` stays at or above minus the key's allowance: that much may be spent
// before anything was leased. It is owed then, and charged with the next lease. Where little is left of a
// quota, part of the allowance is withheld: it is subtracted from the balance, which is `tokens - withheld`.
// `asked` is the largest cost that was refused since the last look. A row of zeros, as in fresh memory, is
// that of a key that nobody has used lately.
//
// A row's tat is the fleet's, as last heard, on this machine's clock.

const HEADER_WORDS = 4;
const ROW_WORDS = 4;
const ASKED = 1;
const WITHHELD = 2;
const TICKS_PER_MS = 1024; // as in rate-limit.ts

/** All allowances of a fleet together are at most this part of the burst, where it is large enough. */
const ALLOWANCE_PARTS = 10;

/** Memory for the rows of a limiter's memory. */
export function allocateLeases(limiter: SharedArrayBuffer): SharedArrayBuffer {
  const rows = limiter.byteLength / BigInt64Array.BYTES_PER_ELEMENT;
  return new SharedArrayBuffer((HEADER_WORDS + rows * ROW_WORDS) * Int32Array.BYTES_PER_ELEMENT);
}

/** Where the row begins, in words. */
export function leaseRow(slot: number): number {
  return HEADER_WORDS + slot * ROW_WORDS;
}

/** Where the row says the largest cost that was refused. */
export function askedOf(row: number): number {
  return row + ASKED;
}

/** Where the row says how much of the allowance is withheld. */
export function withheldOf(row: number): number {
  return row + WITHHELD;
}

/** What may be spent of the key before it is leased; never less than one request costs. */
export function allowanceOf(
  { burst, maxCost }: { readonly burst: number; readonly maxCost: number },
  words: Int32Array,
): number {
  // Before a fleet has been heard of, the process is one of one.
  const part = Math.floor(burst / (ALLOWANCE_PARTS * (words[REPLICAS] || 1)));
  return Math.max(maxCost, Math.min(part, MOST_HELD));
}

/** Where the count of replicas is. */
export const REPLICAS = 0;

/** Where the granting thread waits to be told that an allowance is half spent. Its value means nothing. */
export const WAKE = 1;

/** Rows are 32 bits wide. */
const MOST_HELD = 1_000_000_000;

/** Makes the row that of a key which nobody has used. Fresh rows are only read, which takes no memory. */
export function clearLease(words: Int32Array, slot: number): void {
  const row = leaseRow(slot);
  for (let word = row; word < row + ROW_WORDS; word++) {
    if (Atomics.load(words, word) !== 0) Atomics.store(words, word, 0);
  }
}

/** The granting side. There is one at a time. */
export class LeaseRows {
  readonly #words: Int32Array;
  readonly #tats: BigInt64Array;

  constructor(limiter: SharedArrayBuffer, leases: SharedArrayBuffer) {
    this.#words = new Int32Array(leases);
    this.#tats = new BigInt64Array(limiter);
  }

  /** Whether anything was spent, refused, leased or is owed. */
  isUsed(slot: number): boolean {
    const row = leaseRow(slot);
    // Plain reads: what one look misses, the next one finds.
    return (this.#words[row] | this.#words[askedOf(row)]) !== 0;
  }

  /** Tokens that may be spent; below zero they are owed. */
  held(slot: number): number {
    const row = leaseRow(slot);
    return Atomics.load(this.#words, row) + this.#words[withheldOf(row)];
  }

  /** Withholds so much of the allowance from now on. */
  withhold(slot: number, count: number): void {
    const row = leaseRow(slot);
    const before = this.#words[withheldOf(row)];
    if (count === before) return;
    this.#words[withheldOf(row)] = count;
    Atomics.add(this.#words, row, before - count);
  }

  /** The largest cost that was refused since the last call, or 0. */
  takeAsked(slot: number): number {
    return Atomics.exchange(this.#words, askedOf(leaseRow(slot)), 0);
  }

  /** Adds tokens; a negative number is owed. */
  grant(slot: number, tokens: number): void {
    Atomics.add(this.#words, leaseRow(slot), tokens);
  }

  /** Takes at most so many tokens that nobody has spent. Returns how many. */
  takeBack(slot: number, most: number): number {
    const row = leaseRow(slot);
    const withheld = this.#words[withheldOf(row)];
    for (;;) {
      const balance = Atomics.load(this.#words, row);
      const taken = Math.max(0, Math.min(balance + withheld, most));
      if (Atomics.compareExchange(this.#words, row, balance, balance - taken) === balance) return taken;
    }
  }

  allowance(rate: { readonly burst: number; readonly maxCost: number }): number {
    return allowanceOf(rate, this.#words);
  }

  setReplicas(count: number): void {
    Atomics.store(this.#words, REPLICAS, count);
  }

  get replicas(): number {
    return Atomics.load(this.#words, REPLICAS) || 1;
  }

  tatMs(slot: number): number {
    return Number(Atomics.load(this.#tats, slot)) / TICKS_PER_MS;
  }

  setTatMs(slot: number, tatMs: number): void {
    Atomics.store(this.#tats, slot, BigInt(Math.round(tatMs * TICKS_PER_MS)));
  }
}
