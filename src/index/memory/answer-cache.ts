// Answers that were put together once, kept by number for as long as they are asked for. There are two blocks of
// memory of a fixed size. New answers go to the one in use; when that is full, the other one is emptied and takes its
// place, and what is still asked for moves over from the full one. So the memory never grows, nothing is left to the
// garbage collector, and what was not asked for during one filling is gone.

import type { ByteWriter } from './byte-writer.ts';

const BLOCK_BYTES = 2 << 20;
const LEAST_BYTES = 256; // shorter answers cost less to make than to keep; bounds the entries of a block
const MOST_BYTES = BLOCK_BYTES / 4;

class Block {
  readonly bytes = new Uint8Array(BLOCK_BYTES);
  /** By number: where the answer begins times BLOCK_BYTES, plus its length. */
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

  /** Requires: room. */
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

/** One thread's. Requires: a number always stands for the same bytes. */
export class AnswerCache {
  // Made with the first answer: an endpoint that nobody asks costs nothing.
  #blocks: { inUse: Block; full: Block } | undefined;

  /** Appends the answer of this number to `out`; false, and nothing is appended, when it is not kept. */
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
    out.piece(older); // before it moves: making room may empty the block it is in
    this.#add(number, older);
    return true;
  }

  /** Keeps a copy, unless the answer is too short or too long to be worth it. Requires: it is not kept. */
  keep(number: number, answer: Uint8Array): void {
    if (answer.length < LEAST_BYTES || answer.length > MOST_BYTES) return;
    this.#add(number, answer);
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
    full.add(number, answer); // the bytes of an answer that lay in this block still stand; moving overlaps is sound
  }
}
