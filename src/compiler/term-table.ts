// Values that many advisories share, each stored once: categories, CVSS pairs, weaknesses, product labels.

import { plainPackr } from './blocks.ts';
import type { TermText } from './packed-advisory.ts';
import { Pool } from './pool.ts';

export class TermTable {
  readonly #indexes = new Map<TermText, number>();
  /** By their bytes, each as a character. */
  readonly #byBytes = new Map<string, number>();
  readonly #pool = new Pool();

  /** Index of the value's entry. */
  intern(text: TermText): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.internBytes(plainPackr.pack(JSON.parse(text)));
    this.#indexes.set(text, index);
    return index;
  }

  /** Index of the entry of a packed value. */
  internBytes(bytes: Buffer): number {
    const key = bytes.toString('latin1');
    const known = this.#byBytes.get(key);
    if (known !== undefined) return known;
    const index = this.#pool.add(bytes);
    this.#byBytes.set(key, index);
    return index;
  }

  columns(): { termStart: Uint32Array; termBytes: Uint8Array } {
    return { termStart: this.#pool.starts, termBytes: this.#pool.bytes };
  }
}
