// A file to a generation: read, verify, prepare. Nothing here is asynchronous and nothing is served before all
// of it succeeded.

import { type IndexColumns, TEXT_BLOCK_ADVISORIES } from '../index/columns.ts';
import { Generation, type GenerationParts } from '../index/generation.ts';
import { type ListedText, type ListItems, ListItemWriter } from '../index/list-item.ts';
import { buildProductSlots } from '../index/product-table.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { readSnapshot } from './reader.ts';
import { badRecord, SnapshotRecords, textBlock } from './records.ts';
import { verifyIndex } from './verify.ts';

/** Bytes of an item beyond its own texts: member names, dates, interned values. A guess that is rarely passed. */
const ITEM_BYTES = 900;

export interface LoadedSnapshot {
  readonly generation: Generation;
  readonly fileBytes: number;
  readonly format: number;
}

/** Throws SnapshotError with the first thing that is wrong with the file. */
export function loadSnapshot(path: string): LoadedSnapshot {
  const { id, header, texts, details, columns } = readSnapshot(path);
  verifyIndex(columns, texts.length, details.length);
  const records = new SnapshotRecords(columns, details);
  const parts: GenerationParts = {
    id,
    builtAtMs: header.builtAtMs,
    columns,
    items: prepareItems(columns, records, texts),
    productSlots: buildProductSlots(columns),
    typeCounts: countTypes(columns),
  };
  return { generation: new Generation(parts, records), fileBytes: header.totalBytes, format: header.format };
}

function prepareItems(columns: IndexColumns, records: SnapshotRecords, texts: Uint8Array): ListItems {
  const count = columns.advisoryId.length;
  const writer = new ListItemWriter(
    columns,
    (term) => records.termAt(term),
    texts.length + count * ITEM_BYTES,
  );
  for (let block = 0; block * TEXT_BLOCK_ADVISORIES < count; block++) {
    const rows = textBlock(columns, texts, block);
    const expected = Math.min(TEXT_BLOCK_ADVISORIES, count - block * TEXT_BLOCK_ADVISORIES);
    if (!Array.isArray(rows) || rows.length !== expected || !rows.every(isListedText)) {
      throw badRecord('texts', columns.textBlockStart[block], `${expected} rows of listed texts`, 'others');
    }
    for (const row of rows) writer.add(row);
  }
  return writer.finish();
}

function isListedText(row: unknown): row is ListedText {
  return (
    Array.isArray(row) &&
    row.length === 5 &&
    typeof row[0] === 'string' &&
    typeof row[1] === 'string' &&
    typeof row[2] === 'string' &&
    typeof row[3] === 'string' &&
    Array.isArray(row[4])
  );
}

function countTypes(columns: IndexColumns): Record<ProductType, number> {
  const counts = PRODUCT_TYPES.map(() => 0);
  const { productType, productAdvisoryStart } = columns;
  for (let product = 0; product < productType.length; product++) {
    counts[productType[product]] += productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  }
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, counts[i]])) as Record<ProductType, number>;
}
