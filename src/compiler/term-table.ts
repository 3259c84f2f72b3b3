// Values that many advisories share, each stored once: categories, CVSS pairs, weaknesses, product labels.

import { plainPackr } from './blocks.ts';
import { Pool } from './pool.ts';

export class TermTable {
  readonly #indexes = new Map<string, number>();
  readonly #pool = new Pool();

  /** Index of the value's entry. Values are equal if their JSON is. */
  intern(value: unknown): number {
    const key = JSON.stringify(value);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.#pool.add(plainPackr.pack(value));
    this.#indexes.set(key, index);
    return index;
  }

  columns(): { termStart: Uint32Array; termBytes: Uint8Array } {
    return { termStart: this.#pool.starts, termBytes: this.#pool.bytes };
  }
}
