// The further records of an advisory. Several databases publish one vulnerability, and the importers make one
// advisory of their records where they affect the same versions: it has the id of one as its source id and
// the others among its aliases. A client of OSV asks for each of them.

import { textAt } from '../../index/column-texts.ts';
import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import type { SourcesTerm } from '../../index/items/list-item.ts';
import { advisoriesOfAlias, aliasesFrom } from '../../index/lookup/alias-table.ts';
import { PLATFORM_TABLE, PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';

/** As these databases write their ids: in upper case, like aliases, and fit for a path and a file. */
const TWIN_ID = /^[A-Z]+-\d{4}-\d{1,20}$/;

export interface Twin {
  /** As its database publishes it. */
  readonly id: string;
  /** The advisories that are this record too, ascending. */
  readonly ordinals: readonly number[];
}

/**
 * An alias is such a record if a database has it that publishes for the ecosystem, the advisory names several
 * sources, and the product has no advisory of its own for it. Without the sources, each GHSA record that
 * names a record of another database would count as that one.
 */
export function* twinsIn(generation: Generation): Generator<Twin> {
  const { columns } = generation.parts;
  const { aliasText, aliasStart } = columns;
  const severalSources = new Map<number, boolean>();
  const hasSeveralSources = (ordinal: number): boolean => {
    const term = columns.traitsSources[columns.advisoryTraits[ordinal]];
    const known = severalSources.get(term);
    if (known !== undefined) return known;
    // The loader checked the shape of the term.
    const isSo = (generation.records.termAt(term) as SourcesTerm).length > 1;
    severalSources.set(term, isSo);
    return isSo;
  };
  for (const { name, databases } of PLATFORM_TABLE) {
    for (const database of databases) {
      const { start, end } = aliasesFrom(columns, `${database}-`);
      for (let row = start; row < end; row++) {
        const having = advisoriesOfAlias(columns, row);
        // Before any text is decoded: the first request after a swap waits for this.
        if (!having.some((ordinal) => hasSeveralSources(ordinal))) continue;
        const id = textAt(aliasText, aliasStart, row);
        if (!TWIN_ID.test(id)) continue;
        const own = new Set<number>(); // products with an advisory of this id
        const others: number[] = [];
        for (const ordinal of having) {
          const alias = columns.advisorySourceId[ordinal];
          if (alias === row) own.add(columns.advisoryProduct[ordinal]);
          else if (alias !== NONE) others.push(ordinal);
        }
        const ordinals = others.filter((ordinal) => {
          const product = columns.advisoryProduct[ordinal];
          const { platform } = PRODUCT_TYPE_TABLE[columns.productType[product]];
          return platform === name && !own.has(product) && hasSeveralSources(ordinal);
        });
        if (ordinals.length > 0) yield { id, ordinals };
      }
    }
  }
}
