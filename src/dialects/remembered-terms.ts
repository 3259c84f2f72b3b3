// Terms of a generation, each decoded once: thousands of advisories share a few. For one answer, or one file.

import type { RecordSource } from '../index/items/detail-record.ts';

export type TermSource = Pick<RecordSource, 'termAt'>;

export class RememberedTerms implements TermSource {
  readonly #source: TermSource;
  readonly #known = new Map<number, unknown>();

  constructor(source: TermSource) {
    this.#source = source;
  }

  termAt(term: number): unknown {
    let value = this.#known.get(term);
    if (value === undefined) {
      value = this.#source.termAt(term); // never undefined
      this.#known.set(term, value);
    }
    return value;
  }
}
