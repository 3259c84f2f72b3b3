// What advisories have in common, each stored once: values such as categories and product labels, and the
// combinations of them that occur.

import type { IndexColumns, TraitColumn } from '../index/columns.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { plainPackr } from './blocks.ts';
import { type TermText, TRAIT_COLUMNS, type TraitsText } from './packed-advisory.ts';
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

  columns(): Pick<IndexColumns, 'termStart' | 'termBytes'> {
    return { termStart: this.#pool.starts, termBytes: this.#pool.bytes };
  }
}

export class TraitsTable {
  readonly #terms: TermTable;
  readonly #rows = new Map<TraitsText, number>();
  /** By the numbers of their terms. */
  readonly #byTerms = new Map<string, number>();
  readonly #columns = TRAIT_COLUMNS.map(() => new GrowableU32());

  constructor(terms: TermTable) {
    this.#terms = terms;
  }

  /** The row of a combination. */
  intern(text: TraitsText): number {
    let row = this.#rows.get(text);
    if (row === undefined) {
      const values = JSON.parse(text) as readonly unknown[];
      row = this.internTerms(values.map((value) => this.#terms.intern(JSON.stringify(value))));
      this.#rows.set(text, row);
    }
    return row;
  }

  /** Requires: terms in the order of TRAIT_COLUMNS. */
  internTerms(terms: readonly number[]): number {
    const key = terms.join();
    let row = this.#byTerms.get(key);
    if (row === undefined) {
      row = this.#columns[0].length;
      this.#byTerms.set(key, row);
      this.#columns.forEach((column, i) => {
        column.push(terms[i]);
      });
    }
    return row;
  }

  columns(): Pick<IndexColumns, TraitColumn> {
    const columns = TRAIT_COLUMNS.map((name, i) => [name, this.#columns[i].view()]);
    return Object.fromEntries(columns) as Pick<IndexColumns, TraitColumn>; // a column for each name
  }
}
