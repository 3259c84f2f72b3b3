// Gives each distinct text a small number, in a few bytes more than the text itself takes: hundreds of
// thousands of ids do not fit in memory as a Map of strings. The bytes are compared, so two texts never share
// a number.
//
//   bytes   t0 t0 t0 | t1 t1 | t2 ...     starts  0 3 5 6
//   slots   open addressing, linear probing, at most half full: number + 1, or 0 if free

import { randomInt } from 'node:crypto';

const FIRST_SLOTS = 1 << 12;
const FIRST_BYTES = 1 << 16;
const FIRST_TEXTS = 1 << 11;
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const MAX_UNIT_BYTES = 3;

export class TextTable {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** One more than there are texts. */
  #starts = new Float64Array(FIRST_TEXTS);
  #count = 0;
  #slots = new Uint32Array(FIRST_SLOTS);
  // The numbers do not depend on it; with a fixed one, a crafted file could give every text the same slot.
  readonly #seed = randomInt(2 ** 32);

  get length(): number {
    return this.#count;
  }

  /** The text's number; the first text gets 0. Requires: well-formed Unicode. */
  intern(text: string): number {
    const end = this.#write(text);
    const slot = this.#slotOf(end);
    const known = this.#slots[slot];
    if (known !== 0) return known - 1;
    const number = this.#count++;
    if (this.#count === this.#starts.length) {
      const grown = new Float64Array(this.#starts.length * 2);
      grown.set(this.#starts);
      this.#starts = grown;
    }
    this.#starts[this.#count] = end;
    this.#slots[slot] = number + 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  /** Undefined if the text has no number. */
  find(text: string): number | undefined {
    const known = this.#slots[this.#slotOf(this.#write(text))];
    return known === 0 ? undefined : known - 1;
  }

  /** Requires: a number that `intern` returned. */
  textAt(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], this.#starts[number + 1]);
  }

  /**
   * Writes the text's bytes behind those of the last text, where the next write overwrites them; returns
   * their end.
   */
  #write(text: string): number {
    const start = this.#starts[this.#count];
    const needed = start + text.length * MAX_UNIT_BYTES;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    return start + this.#bytes.write(text, start, 'utf8');
  }

  /** The slot that holds the number of the bytes just written, or the free one where it belongs. */
  #slotOf(end: number): number {
    const start = this.#starts[this.#count];
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(start, end) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot];
      if (known === 0) return slot;
      const from = this.#starts[known - 1];
      const to = this.#starts[known];
      if (to - from === end - start && this.#bytes.compare(this.#bytes, start, end, from, to) === 0)
        return slot;
    }
  }

  /** FNV-1a, with a last step that spreads it over the low bits. */
  #hash(start: number, end: number): number {
    let hash = this.#seed | 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ this.#bytes[at], 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = this.#hash(this.#starts[number], this.#starts[number + 1]) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
