// Concatenated byte strings with a column of where each begins, and a comparison of strings by their UTF-8
// bytes.

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

/** Compares two strings by their UTF-8 bytes and returns the sign. Requires: no half of a surrogate pair. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === length) return Math.sign(a.length - b.length);
  return Math.sign(utf8Place(a.charCodeAt(at)) - utf8Place(b.charCodeAt(at)));
}

/** Units of UTF-16 in the order of UTF-8: surrogates, which begin what lies above U+FFFF, come last. */
function utf8Place(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
