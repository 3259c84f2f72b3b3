// The alias columns: other ids of advisories, sorted by their bytes, each with the advisories that have it. A
// feed has about as many aliases as advisories, so they are kept as bytes and numbers, not as objects.

import type { IndexColumns } from '../index/columns.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { Pool } from './pool.ts';
import { sortByWords } from './sort-by-words.ts';

type AliasColumns = Pick<IndexColumns, 'aliasStart' | 'aliasText' | 'aliasAdvisoryStart' | 'aliasAdvisory'>;

interface LaidAliases {
  readonly columns: AliasColumns;
  /** By the number of the pair that `add` returned: the row of its alias. */
  readonly rowOf: Uint32Array;
}

export class AliasLayout {
  /** One entry for each pair of alias and advisory. */
  readonly #texts = new Pool();
  readonly #ordinals = new GrowableU32();

  /**
   * Returns the number of the pair. Requires: a normalised alias; ordinals do not decrease; the same pair
   * only once.
   */
  add(ordinal: number, alias: string): number {
    this.#ordinals.push(ordinal);
    return this.#texts.addText(alias);
  }

  /** As `add`, with the text in UTF-8. */
  addBytes(ordinal: number, alias: Uint8Array): number {
    this.#ordinals.push(ordinal);
    return this.#texts.add(alias);
  }

  lay(): LaidAliases {
    const texts = this.#texts;
    const ordinals = this.#ordinals.view();
    // Pairs of equal aliases stay in the order in which they came: by ordinal.
    const order = sortByWords(
      0,
      ordinals.length,
      (pair, round) => texts.wordOf(pair, round),
      (a, b) => texts.compare(a, b),
    );
    const distinct = new Pool();
    const advisoryStart = new GrowableU32();
    const rowOf = new Uint32Array(order.length);
    order.forEach((pair, i) => {
      if (i === 0 || texts.compare(order[i - 1], pair) !== 0) {
        distinct.add(texts.at(pair));
        advisoryStart.push(i);
      }
      rowOf[pair] = advisoryStart.length - 1;
    });
    advisoryStart.push(order.length);
    const columns = {
      aliasStart: distinct.starts,
      aliasText: distinct.bytes,
      aliasAdvisoryStart: advisoryStart.view(),
      aliasAdvisory: order.map((pair) => ordinals[pair]),
    };
    return { columns, rowOf };
  }
}
