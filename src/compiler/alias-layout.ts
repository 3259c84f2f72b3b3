// The alias columns: other ids of advisories, sorted by their bytes, each with the advisories that have it. A
// feed has about as many aliases as advisories, so they are kept as bytes and numbers, not as objects.

import type { IndexColumns } from '../index/columns.ts';
import { compareBytes } from '../index/memory/bytes.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import { Pool } from './pool.ts';

/** As many as a double holds exactly. */
const PREFIX_BYTES = 6;

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
    const { bytes, starts } = this.#texts;
    const ordinals = this.#ordinals.view();
    const compare = (a: number, b: number): number =>
      compareBytes(bytes, starts[a], starts[a + 1], bytes, starts[b], starts[b + 1]);
    const prefixes = Float64Array.from(ordinals, (_, pair) =>
      prefixOf(bytes, starts[pair], starts[pair + 1]),
    );
    // Pairs of equal aliases stay in the order in which they came: by ordinal.
    const order = Uint32Array.from(ordinals, (_, pair) => pair).sort(
      (a, b) => prefixes[a] - prefixes[b] || compare(a, b) || a - b,
    );
    const distinct = new Pool();
    const advisoryStart = new GrowableU32();
    const rowOf = new Uint32Array(order.length);
    order.forEach((pair, i) => {
      if (i === 0 || compare(order[i - 1], pair) !== 0) {
        distinct.add(bytes.subarray(starts[pair], starts[pair + 1]));
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

/**
 * The first bytes as a number, so that most comparisons need no loop. A text that ends earlier counts as
 * zeros.
 */
function prefixOf(bytes: Uint8Array, start: number, end: number): number {
  let prefix = 0;
  for (let at = start; at < start + PREFIX_BYTES; at++) prefix = prefix * 256 + (at < end ? bytes[at] : 0);
  return prefix;
}
