// The columns of source ids: which alias each is, and the text of those that their alias alone does not tell.

import { type IndexColumns, NONE } from '../index/columns.ts';
import { normaliseAlias } from '../index/lookup/alias-table.ts';
import { findSpelled, type SourceIdColumns, sourceIdOf, spelledFrom } from '../index/lookup/source-id.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { Pool } from './pool.ts';

type LaidSourceIds = Omit<SourceIdColumns, 'aliasStart' | 'aliasText'>;

export class SourceIdLayout {
  /** By ordinal: the number of the pair of its alias, or NONE. */
  readonly #pairs: Uint32Array;
  readonly #spelledAdvisory = new GrowableU32();
  readonly #spelled = new Pool();

  constructor(count: number) {
    this.#pairs = new Uint32Array(count).fill(NONE);
  }

  /** `pair` is that of the id's alias, if it has one. Requires: ordinals ascending, each once. */
  add(ordinal: number, sourceId: string, pair: number): void {
    const alias = normaliseAlias(sourceId); // none for `CVE-` alone
    if (alias !== '') this.#pairs[ordinal] = pair;
    if (spelledFrom(alias) !== sourceId) this.#spell(ordinal, sourceId);
  }

  /** As `add`, for the id that an advisory has in other columns: `pair` is that of its alias, or NONE. */
  addKept(ordinal: number, from: IndexColumns, kept: number, pair: number): void {
    this.#pairs[ordinal] = pair;
    if (findSpelled(from, kept) !== undefined) this.#spell(ordinal, sourceIdOf(from, kept));
  }

  #spell(ordinal: number, sourceId: string): void {
    this.#spelledAdvisory.push(ordinal);
    this.#spelled.addText(sourceId);
  }

  /** `rowOf`: by number of a pair, the row of its alias. */
  columns(rowOf: Uint32Array): LaidSourceIds {
    return {
      advisorySourceId: this.#pairs.map((pair) => (pair === NONE ? NONE : rowOf[pair])),
      spelledAdvisory: this.#spelledAdvisory.view(),
      spelledIdStart: this.#spelled.starts,
      spelledId: this.#spelled.bytes,
    };
  }
}
