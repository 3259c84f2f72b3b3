// A cache of assembled answers, keyed by number: a ring of bytes, and a table that says where in it an answer
// begins. New answers overwrite the oldest ones; one that is requested when half of the ring was written
// behind it is written again. So memory never grows, nothing is left to the garbage collector, and an answer
// that is not requested while half of the ring fills up is dropped.
//
// A place in the ring is told by a position that only grows, modulo the ring's size; so an entry of the table
// whose bytes were overwritten is known by its position, and forgetting all answers is one assignment.

import type { ByteWriter } from './byte-writer.ts';

const RING_BYTES = 4 << 20;
// Shorter answers are cheaper to make than to keep.
const LEAST_BYTES = 256;
const MOST_BYTES = RING_BYTES / 8;

/** Two entries with one hash, side by side. */
const SETS_BITS = 14;
const SET_FIELDS = 8;
/** Of an entry: the number, the position, and the length in bytes; a fourth is not used. */
const ENTRY_FIELDS = 4;
/** Odd, with bits everywhere: 2^32 by the golden ratio. */
const MULTIPLIER = 0x9e3779b1;

/** One per thread. Requires: until `clear`, a number always stands for the same bytes. */
export class AnswerCache {
  readonly #leastBytes: number;
  // Allocated with the first answer: an unused endpoint costs nothing.
  #ring: Uint8Array | undefined;
  #entries = new Float64Array(0);
  /** The position of the next answer. Never 0, which is that of an empty entry. */
  #next = RING_BYTES;
  /** Answers before this position are forgotten. */
  #first = RING_BYTES;

  /** Answers with fewer bytes are not kept. */
  constructor(leastBytes = LEAST_BYTES) {
    this.#leastBytes = leastBytes;
  }

  /**
   * Appends the answer with this number to `out`; when it is not cached, returns false and appends nothing.
   */
  copyTo(out: ByteWriter, number: number): boolean {
    const ring = this.#ring;
    if (ring === undefined) return false;
    const at = this.#find(number);
    if (at === undefined) return false;
    const position = this.#entries[at + 1];
    const start = position % RING_BYTES;
    const end = start + this.#entries[at + 2];
    out.copy(ring, start, end);
    if (this.#next - position > RING_BYTES / 2) this.#add(number, ring.subarray(start, end));
    return true;
  }

  /** Appends the answer with this number: the one that is kept, or what `make` appends. */
  write(out: ByteWriter, number: number, make: () => void): void {
    if (this.copyTo(out, number)) return;
    const start = out.length;
    make();
    this.keep(number, out.view().subarray(start));
  }

  /** Keeps a copy, unless the answer is too short or too long to be worth it. */
  keep(number: number, answer: Uint8Array): void {
    if (answer.length < this.#leastBytes || answer.length > MOST_BYTES) return;
    this.#add(number, answer);
  }

  /** Forgets all answers; the memory stays allocated. */
  clear(): void {
    this.#first = this.#next;
  }

  /** Where the entry of this number is in the table. */
  #find(number: number): number | undefined {
    const set = setOf(number);
    for (let at = set; at < set + SET_FIELDS; at += ENTRY_FIELDS) {
      if (this.#entries[at] === number && this.#isKept(this.#entries[at + 1])) return at;
    }
    return undefined;
  }

  #isKept(position: number): boolean {
    return position >= this.#first && position >= this.#next - RING_BYTES;
  }

  #add(number: number, answer: Uint8Array): void {
    if (this.#ring === undefined) {
      this.#ring = new Uint8Array(RING_BYTES);
      this.#entries = new Float64Array(SET_FIELDS << SETS_BITS);
    }
    const left = RING_BYTES - (this.#next % RING_BYTES);
    const position = answer.length <= left ? this.#next : this.#next + left;
    // `answer` may be in the ring itself: copies of bytes that overlap are sound.
    this.#ring.set(answer, position % RING_BYTES);
    this.#next = position + answer.length;
    const entries = this.#entries;
    const set = setOf(number);
    const other = set + ENTRY_FIELDS;
    const isFirst =
      entries[set] === number || (entries[other] !== number && entries[set + 1] < entries[other + 1]);
    const at = isFirst ? set : other;
    entries[at] = number;
    entries[at + 1] = position;
    entries[at + 2] = answer.length;
  }
}

function setOf(number: number): number {
  return (Math.imul(number, MULTIPLIER) >>> (32 - SETS_BITS)) * SET_FIELDS;
}
