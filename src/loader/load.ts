// A file to a generation: read, verify, prepare. Nothing here is asynchronous and nothing is served before all
// of it succeeded.

import { type IndexColumns, TEXT_BLOCK_ADVISORIES } from '../index/columns.ts';
import { Generation, type GenerationParts } from '../index/generation.ts';
import { type ListItems, ListItemWriter } from '../index/list-item.ts';
import { PackedCursor, PackedError } from '../index/packed-cursor.ts';
import { buildProductSlots } from '../index/product-table.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { readSnapshot, type SnapshotBytes } from './reader.ts';
import { badRecord, SnapshotRecords } from './records.ts';
import { checkedTerms } from './terms.ts';
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
  return prepareSnapshot(readSnapshot(path));
}

/** Verifies and prepares what was read. Throws SnapshotError. */
export function prepareSnapshot({ id, header, texts, details, columns }: SnapshotBytes): LoadedSnapshot {
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
  const termAt = checkedTerms(columns, records);
  const writer = new ListItemWriter(columns, termAt, texts.length + count * ITEM_BYTES);
  const rows = new PackedCursor(texts);
  try {
    for (let block = 0; block * TEXT_BLOCK_ADVISORIES < count; block++) {
      const start = columns.textBlockStart[block];
      const rowCount = Math.min(TEXT_BLOCK_ADVISORIES, count - block * TEXT_BLOCK_ADVISORIES);
      rows.enter(start, columns.textBlockStart[block + 1]);
      const got = rows.array();
      if (got !== rowCount) throw new PackedError(texts, start, `${got} rows instead of ${rowCount}`);
      for (let row = 0; row < rowCount; row++) writer.add(rows);
      if (!rows.isAtEnd) throw new PackedError(texts, start, `more than ${rowCount} rows`);
    }
  } catch (error) {
    if (!(error instanceof PackedError)) throw error;
    const section = error.bytes === texts ? 'texts' : 'index.termBytes';
    throw badRecord(section, error.offset, 'rows of listed texts and product labels', error.message);
  }
  return writer.finish();
}

function countTypes(columns: IndexColumns): Record<ProductType, number> {
  const counts = PRODUCT_TYPES.map(() => 0);
  const { productType, productAdvisoryStart } = columns;
  for (let product = 0; product < productType.length; product++) {
    counts[productType[product]] += productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  }
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, counts[i]])) as Record<ProductType, number>;
}
