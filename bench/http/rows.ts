// A snapshot as the rows for the database baseline: one JSON line per published advisory, with the texts that
// our server prepares too, so that neither side assembles items per request.

import { closeSync, openSync, writeSync } from 'node:fs';
import { renderDetail } from '../../src/dialects/patchstack/detail-answer.ts';
import { preparedItems, writeListed } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import { upperBoundOf } from '../../src/index/lookup/interval.ts';
import { AnswerBuffer } from '../../src/index/memory/answer-buffer.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { productsOf, versionText } from './catalogue.ts';

const BLOCK_CHARS = 1 << 20;
const utf8 = new TextDecoder();

/** Writes the rows to a file; returns how many. */
export function writeRows(generation: Generation, path: string): number {
  const { columns } = generation.parts;
  const products = new Map([...productsOf(generation)].map((product) => [product.ordinal, product]));
  const out = new AnswerBuffer();
  const file = openSync(path, 'w');
  let block = '';
  let count = 0;
  try {
    for (const platform of PLATFORMS) {
      const { start, end } = generation.published(platform);
      for (let ordinal = start; ordinal < end; ordinal++) {
        const product = products.get(columns.advisoryProduct[ordinal]);
        if (product === undefined) throw new Error(`advisory ${generation.idAt(ordinal)} has no product`);
        out.restart();
        writeListed(out, generation, Uint32Array.of(ordinal), 0, 1, false);
        const row = {
          id: generation.idAt(ordinal),
          platform,
          type: product.type,
          slug: product.slug,
          scheme: VERSION_SCHEMES[columns.advisoryScheme[ordinal]],
          listed: utf8.decode(preparedItems(generation, ordinal, ordinal + 1)),
          looked_up: utf8.decode(out.view()),
          details: generation.records.detailAt(ordinal)[1],
          page: renderDetail(generation, ordinal),
          spans: spansOf(generation, ordinal),
        };
        block += `${JSON.stringify(row)}\n`;
        count++;
        if (block.length < BLOCK_CHARS) continue;
        writeSync(file, block);
        block = '';
      }
    }
    writeSync(file, block);
  } finally {
    closeSync(file);
  }
  return count;
}

function spansOf(generation: Generation, ordinal: number): unknown[] {
  const { advisorySpanStart, spanFrom, spanTo, spanToBound, spanFixedIn } = generation.parts.columns;
  const spans: unknown[] = [];
  for (let span = advisorySpanStart[ordinal]; span < advisorySpanStart[ordinal + 1]; span++) {
    spans.push({
      from_version: versionText(generation, spanFrom[span]),
      to_version: versionText(generation, spanTo[span]),
      to_bound: upperBoundOf(spanToBound[span]),
      fixed_in: versionText(generation, spanFixedIn[span]),
    });
  }
  return spans;
}
