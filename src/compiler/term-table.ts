// Values that many advisories share, each stored once: categories, CVSS pairs, weaknesses, product labels.

import { plainPackr } from './blocks.ts';
import type { TermText } from './packed-advisory.ts';
import { Pool } from './pool.ts';

export class TermTable {
  readonly #indexes = new Map<TermText, number>();
  readonly #pool = new Pool();

  /** Index of the value's entry. */
  intern(text: TermText): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.#pool.add(plainPackr.pack(JSON.parse(text)));
    this.#indexes.set(text, index);
    return index;
  }

  columns(): { termStart: Uint32Array; termBytes: Uint8Array } {
    return { termStart: this.#pool.starts, termBytes: this.#pool.bytes };
  }
}
