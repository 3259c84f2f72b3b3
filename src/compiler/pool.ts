// Concatenated byte strings with a column of where each begins.

import { compareBytes, wordFrom } from '../index/memory/bytes.ts';
import { GrowableU32 } from '../index/memory/growable.ts';

const MAX_UNIT_BYTES = 3; // of UTF-8, for one unit of UTF-16

/** Concatenates byte strings; `starts` has one more entry than there are strings. */
export class Pool {
  #bytes = Buffer.alloc(4096);
  #length = 0;
  readonly #starts = new GrowableU32();

  constructor() {
    this.#starts.push(0);
  }

  /** Appends one entry; returns its index. Throws RangeError when the pool exceeds 4 GiB. */
  add(bytes: Uint8Array): number {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    return this.#end(bytes.length);
  }

  /** Appends a text as UTF-8; returns its index. Throws RangeError when the pool exceeds 4 GiB. */
  addText(text: string): number {
    this.#reserve(text.length * MAX_UNIT_BYTES);
    return this.#end(this.#bytes.write(text, this.#length));
  }

  /** An entry: a view, valid until the next is added. */
  at(entry: number): Buffer {
    return this.#bytes.subarray(this.#starts.at(entry), this.#starts.at(entry + 1));
  }

  /** Sign of an entry against another, by their bytes. */
  compare(a: number, b: number): number {
    const [bytes, starts] = [this.#bytes, this.#starts];
    return compareBytes(bytes, starts.at(a), starts.at(a + 1), bytes, starts.at(b), starts.at(b + 1));
  }

  /** A word of an entry for `sortByWords`: four bytes. */
  wordOf(entry: number, round: number): number {
    return wordFrom(this.#bytes, this.#starts.at(entry) + 4 * round, this.#starts.at(entry + 1));
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }

  #end(count: number): number {
    this.#length += count;
    if (this.#length > 0xffff_ffff) throw new RangeError('a pool of the index exceeds 4 GiB');
    this.#starts.push(this.#length);
    return this.#starts.length - 2;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  get starts(): Uint32Array {
    return this.#starts.view();
  }
}
