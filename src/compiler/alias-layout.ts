// The alias columns: other ids of advisories, sorted by their bytes, each with the advisories that have it. A
// feed has about as many aliases as advisories, so they are kept as bytes and numbers, not as objects.

import { FIRST_SHARED, type IndexColumns } from '../index/columns.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { Pool } from './pool.ts';
import { sortByWords } from './sort-by-words.ts';

type AliasColumns = Pick<
  IndexColumns,
  'aliasStart' | 'aliasText' | 'aliasAdvisory' | 'sharedAliasStart' | 'sharedAliasAdvisory'
>;

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
    const holders = new GrowableU32();
    const sharedStart = new GrowableU32();
    const sharedHolders = new GrowableU32();
    const rowOf = new Uint32Array(order.length);
    for (let first = 0, end = 0; first < order.length; first = end) {
      while (end < order.length && texts.compare(order[first], order[end]) === 0) {
        rowOf[order[end++]] = holders.length;
      }
      distinct.add(texts.at(order[first]));
      if (end - first === 1) {
        holders.push(ordinals[order[first]]);
        continue;
      }
      holders.push(FIRST_SHARED + sharedStart.length);
      sharedStart.push(sharedHolders.length);
      for (let i = first; i < end; i++) sharedHolders.push(ordinals[order[i]]);
    }
    sharedStart.push(sharedHolders.length);
    const columns = {
      aliasStart: distinct.starts,
      aliasText: distinct.bytes,
      aliasAdvisory: holders.view(),
      sharedAliasStart: sharedStart.view(),
      sharedAliasAdvisory: sharedHolders.view(),
    };
    return { columns, rowOf };
  }
}
