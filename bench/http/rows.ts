// A snapshot as the rows for the database baseline: one JSON line per published advisory, with the texts that
// our server prepares too, so that neither side assembles items per request.

import { closeSync, openSync, writeSync } from 'node:fs';
import { writeDetail } from '../../src/dialects/detail-answer.ts';
import { writeListed } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import { preparedItem } from '../../src/index/items/prepared-items.ts';
import { upperBoundOf } from '../../src/index/lookup/interval.ts';
import { ThreadMemory } from '../../src/index/memory/thread-memory.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { productAt, spansOf } from '../questions.ts';

const utf8 = new TextDecoder();

/** Writes the rows to a file; returns how many. */
export function writeRows(generation: Generation, path: string): number {
  const { columns } = generation.parts;
  const memory = new ThreadMemory(generation);
  const { out } = memory;
  const file = openSync(path, 'w');
  let count = 0;
  try {
    for (const platform of PLATFORMS) {
      const { start, end } = generation.published(platform);
      for (let ordinal = start; ordinal < end; ordinal++) {
        const { type, name: slug } = productAt(generation, columns.advisoryProduct[ordinal]);
        out.restart();
        writeListed(memory, generation, Uint32Array.of(ordinal), 0, 1, false);
        const lookedUp = utf8.decode(out.view());
        out.restart();
        writeDetail(memory, generation, ordinal);
        const row = {
          id: generation.idAt(ordinal),
          platform,
          type,
          slug,
          scheme: VERSION_SCHEMES[columns.advisoryScheme[ordinal]],
          listed: utf8.decode(preparedItem(generation.parts.items, ordinal)),
          looked_up: lookedUp,
          details: generation.records.bodyAt(ordinal, memory.records),
          page: utf8.decode(out.view()),
          spans: spansOf(generation, ordinal).map(({ from, to, toBound, fixedIn }) => ({
            from_version: from,
            to_version: to,
            to_bound: upperBoundOf(toBound),
            fixed_in: fixedIn,
          })),
        };
        writeSync(file, `${JSON.stringify(row)}\n`);
        count++;
      }
    }
  } finally {
    closeSync(file);
  }
  return count;
}
