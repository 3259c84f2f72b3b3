// A cache of assembled answers, keyed by number. It has two fixed-size blocks of memory. New answers go to
// the current block. When that is full, the other block is emptied and becomes the current one; entries of
// the full block move over when they are next requested. So memory never grows, nothing is left to the
// garbage collector, and an answer that is not requested while one block fills up is dropped.

import type { ByteWriter } from './byte-writer.ts';
import { MULTIPLIER } from './multiplier.ts';

const BLOCK_BYTES = 2 << 20;
// Shorter answers are cheaper to make than to keep; also bounds the entries of a block.
const LEAST_BYTES = 256;
const MOST_BYTES = BLOCK_BYTES / 4;
/** So many that few of the numbers that fill the blocks share a place. */
const MET_BITS = 17;

class Block {
  readonly bytes = new Uint8Array(BLOCK_BYTES);
  /** By number: the answer's offset times BLOCK_BYTES, plus its length. */
  readonly #entries = new Map<number, number>();
  #used = 0;

  find(number: number): Uint8Array | undefined {
    const entry = this.#entries.get(number);
    if (entry === undefined) return undefined;
    const start = Math.floor(entry / BLOCK_BYTES);
    return this.bytes.subarray(start, start + (entry % BLOCK_BYTES));
  }

  hasRoom(length: number): boolean {
    return this.#used + length <= BLOCK_BYTES;
  }

  /** Requires: the answer fits. */
  add(number: number, answer: Uint8Array): void {
    this.bytes.set(answer, this.#used);
    this.#entries.set(number, this.#used * BLOCK_BYTES + answer.length);
    this.#used += answer.length;
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }
}

/** One per thread. Requires: until `clear`, a number always stands for the same bytes. */
export class AnswerCache {
  readonly #leastBytes: number;
  // Allocated with the first answer: an unused endpoint costs nothing.
  #blocks: { inUse: Block; full: Block } | undefined;

  /** By a hash, the last number that `meets` was asked for: the rest of its hash, and 1. */
  #met: Uint16Array | undefined;

  /** Answers with fewer bytes are not kept. */
  constructor(leastBytes = LEAST_BYTES) {
    this.#leastBytes = leastBytes;
  }

  /**
   * Appends the answer with this number to `out`; when it is not cached, returns false and appends nothing.
   */
  copyTo(out: ByteWriter, number: number): boolean {
    if (this.#blocks === undefined) return false;
    const { inUse, full } = this.#blocks;
    const answer = inUse.find(number);
    if (answer !== undefined) {
      out.piece(answer);
      return true;
    }
    const older = full.find(number);
    if (older === undefined) return false;
    out.piece(older); // before the move, which may empty the block it is in
    this.#add(number, older);
    return true;
  }

  /** Appends the answer with this number: the one that is kept, or what `make` appends. */
  write(out: ByteWriter, number: number, make: () => void): void {
    if (this.copyTo(out, number)) return;
    const start = out.length;
    make();
    this.keep(number, out.view().subarray(start));
  }

  /**
   * Keeps a copy, unless the answer is too short or too long to be worth it. Requires: it is not in the
   * cache.
   */
  keep(number: number, answer: Uint8Array): void {
    if (answer.length < this.#leastBytes || answer.length > MOST_BYTES) return;
    this.#add(number, answer);
  }

  /**
   * Whether it was asked for this number before, as far as it remembers: for answers that cost little more to
   * make than to keep, so that those that nobody asks for again are not kept. Of 32 bits of the number.
   */
  meets(number: number): boolean {
    this.#met ??= new Uint16Array(1 << MET_BITS);
    const hash = Math.imul(number, MULTIPLIER); // another one for each number of 32 bits
    const place = hash >>> (32 - MET_BITS);
    const rest = (hash & ((1 << (32 - MET_BITS)) - 1)) + 1;
    if (this.#met[place] === rest) return true;
    this.#met[place] = rest;
    return false;
  }

  /** Forgets all answers; the blocks stay allocated. */
  clear(): void {
    this.#blocks?.inUse.clear();
    this.#blocks?.full.clear();
  }

  #add(number: number, answer: Uint8Array): void {
    this.#blocks ??= { inUse: new Block(), full: new Block() };
    const { inUse, full } = this.#blocks;
    if (inUse.hasRoom(answer.length)) {
      inUse.add(number, answer);
      return;
    }
    full.clear();
    this.#blocks = { inUse: full, full: inUse };
    // `answer` may point into this block: its bytes are intact, and overlapping copies work.
    full.add(number, answer);
  }
}
