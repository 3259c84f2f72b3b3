// Which row of a rate limiter counts for a caller without a key: a table of fixed size in shared memory, for
// all threads, keyed by a text that names the caller. Owns its layout; rate-limit.ts counts in its rows.
//
//   | tats: 8 bytes a row | tags: 4 bytes a row | secret: four words |
//
// A row belongs to the caller whose digest is its tag; WAYS rows in a line are a set, and another word
// of the digest chooses the set. The digest is keyed, so nobody can choose addresses that share a set. A
// new caller takes the row of its set with the oldest tat. If that tat is past, as it is a few seconds
// after an ordinary request, the row had nothing to say. If not, a caller is forgotten, and begins again
// with its full burst: with more callers at once than rows, the limit becomes looser and never stricter.
// Who used most is forgotten last.
//
// There is no lock, because a thread may be terminated at any instruction. While one thread claims a
// row, requests that others count in it at that instant may be counted for the wrong caller or not at
// all: at most one for each thread.

import { randomFillSync } from 'node:crypto';
import { sipHash128 } from './siphash.ts';

const WAYS = 4; // their tats are in half a cache line
// 3 MiB of address space, of which only pages that are written to take memory.
const SETS = 65_536;
const SECRET_WORDS = 4;
const ROW_BYTES = BigInt64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT;
const SECRET_BYTES = SECRET_WORDS * Int32Array.BYTES_PER_ELEMENT;

/** Memory for a table, with a secret of its own. Requires: a power of two. */
export function allocateAddressTable(sets: number = SETS): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(sets * WAYS * ROW_BYTES + SECRET_BYTES);
  // A copy: random bytes cannot be written to shared memory.
  new Int32Array(memory, sets * WAYS * ROW_BYTES).set(randomFillSync(new Int32Array(SECRET_WORDS)));
  return memory;
}

/** A thread's view of the table. A RateLimiter over the same memory counts in its rows. */
export class AddressTable {
  readonly #tats: BigInt64Array;
  readonly #tags: Int32Array;
  readonly #secret: Int32Array;
  readonly #digest = new Int32Array(4);
  readonly #mask: number;

  constructor(memory: SharedArrayBuffer) {
    const rows = (memory.byteLength - SECRET_BYTES) / ROW_BYTES;
    this.#tats = new BigInt64Array(memory, 0, rows);
    this.#tags = new Int32Array(memory, this.#tats.byteLength, rows);
    this.#secret = new Int32Array(memory, rows * ROW_BYTES).slice();
    this.#mask = rows / WAYS - 1;
  }

  /** The caller's row, from now until another caller needs it. Requires: a text of one-byte characters. */
  rowOf(caller: string): number {
    sipHash128(caller, this.#secret, this.#digest);
    const first = (this.#digest[0] & this.#mask) * WAYS;
    const tag = this.#digest[1] || 1; // 0 is the tag of a row that nobody has had
    for (;;) {
      for (let row = first; row < first + WAYS; row++) if (Atomics.load(this.#tags, row) === tag) return row;
      const row = this.#oldestOf(first);
      const held = Atomics.load(this.#tags, row);
      if (Atomics.compareExchange(this.#tags, row, held, tag) !== held) continue; // another thread was first
      // After the tag: a request that is being counted for the previous caller
      // then counts for the new one, once.
      if (Atomics.load(this.#tats, row) !== 0n) Atomics.store(this.#tats, row, 0n);
      return row;
    }
  }

  /** Of the set that begins there: the row with the oldest tat. */
  #oldestOf(first: number): number {
    let oldest = first;
    for (let row = first + 1; row < first + WAYS; row++)
      if (Atomics.load(this.#tats, row) < Atomics.load(this.#tats, oldest)) oldest = row;
    return oldest;
  }
}
