// A snapshot as the rows of the database that our server is measured beside: one JSON text a line for each
// published advisory, with the texts that our server prepares too.

import { closeSync, openSync, writeSync } from 'node:fs';
import { writeDetail } from '../../src/dialects/detail-answer.ts';
import { textAt } from '../../src/index/column-texts.ts';
import type { Generation } from '../../src/index/generation.ts';
import { upperBoundOf } from '../../src/index/lookup/interval.ts';
import { ThreadMemory } from '../../src/index/memory/thread-memory.ts';
import { PLATFORMS, PRODUCT_TYPES } from '../../src/index/product-type.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { spansOf } from '../questions.ts';

const utf8 = new TextDecoder();

/** Writes the rows to a new file at the path. */
export function writeRows(generation: Generation, path: string): void {
  const { productType, productSlug, productSlugStart, advisoryProduct, advisoryScheme } =
    generation.parts.columns;
  const memory = new ThreadMemory(generation);
  const written = (write: () => void): string => {
    memory.out.restart();
    write();
    return utf8.decode(memory.out.view());
  };
  const file = openSync(path, 'w');
  for (const platform of PLATFORMS) {
    const { start, end } = generation.published(platform);
    for (let ordinal = start; ordinal < end; ordinal++) {
      const product = advisoryProduct[ordinal];
      const row = {
        id: generation.idAt(ordinal),
        platform,
        type: PRODUCT_TYPES[productType[product]],
        slug: textAt(productSlug, productSlugStart, product),
        scheme: VERSION_SCHEMES[advisoryScheme[ordinal]],
        listed: written(() => generation.items.writeItems(memory.out, ordinal, ordinal + 1)),
        page: written(() => writeDetail(memory, generation, ordinal)),
        spans: spansOf(generation, ordinal).map(({ from, to, toBound }) => ({
          from_version: from,
          to_version: to,
          to_bound: upperBoundOf(toBound),
        })),
      };
      writeSync(file, `${JSON.stringify(row)}\n`);
    }
  }
  closeSync(file);
}
