// A file to a generation: read, verify, prepare. Nothing here is asynchronous and nothing is served before all
// of it succeeded.

import { type IndexColumns, TEXT_BLOCK_ADVISORIES } from '../index/columns.ts';
import { Generation, type GenerationParts } from '../index/generation.ts';
import { type ListItems, ListItemWriter } from '../index/list-item.ts';
import { PackedCursor, PackedError } from '../index/packed-cursor.ts';
import { buildProductSlots } from '../index/product-table.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import {
  type OpenSnapshot,
  readOpenSnapshot,
  type SnapshotBytes,
  type TextSource,
  withSnapshot,
} from './reader.ts';
import { badRecord, SnapshotRecords } from './records.ts';
import { checkedTerms } from './terms.ts';
import { verifyIndex } from './verify.ts';

/** Bytes of an item beyond its own texts: member names, dates, interned values. A guess that is rarely passed. */
const ITEM_BYTES = 900;
/** About half a megabyte of texts: prepared while it is in the processor's cache. */
const BLOCKS_PER_READ = 16;

export interface LoadedSnapshot {
  readonly generation: Generation;
  /** The details section: with `generation.parts`, all another thread needs for a generation of its own. */
  readonly details: Uint8Array;
  readonly fileBytes: number;
  readonly format: number;
}

/** Throws SnapshotError with the first thing that is wrong with the file. */
export function loadSnapshot(path: string): LoadedSnapshot {
  return withSnapshot(path, loadOpenSnapshot);
}

/** The same for a file that is open. */
export function loadOpenSnapshot(file: OpenSnapshot): LoadedSnapshot {
  return readOpenSnapshot(file, prepareSnapshot);
}

/** Verifies and prepares what was read. Throws SnapshotError. */
export function prepareSnapshot(
  { id, header, details, columns }: SnapshotBytes,
  texts: TextSource,
): LoadedSnapshot {
  verifyIndex(columns, header.sections.texts.length, details.length);
  const records = new SnapshotRecords(columns, details);
  const parts: GenerationParts = {
    id,
    builtAtMs: header.builtAtMs,
    columns,
    items: prepareItems(columns, records, texts, header.sections.texts.length),
    productSlots: buildProductSlots(columns),
    typeCounts: countTypes(columns),
  };
  return {
    generation: openGeneration(parts, details),
    details,
    fileBytes: header.totalBytes,
    format: header.format,
  };
}

/** A generation over parts that were loaded in this thread or in another. */
export function openGeneration(parts: GenerationParts, details: Uint8Array): Generation {
  return new Generation(parts, new SnapshotRecords(parts.columns, details));
}

function prepareItems(
  columns: IndexColumns,
  records: SnapshotRecords,
  texts: TextSource,
  textBytes: number,
): ListItems {
  const { textBlockStart } = columns;
  const count = columns.advisoryId.length;
  const blockCount = textBlockStart.length - 1;
  const termAt = checkedTerms(columns, records);
  const writer = new ListItemWriter(columns, termAt, textBytes + count * ITEM_BYTES);
  for (let first = 0; first < blockCount; first += BLOCKS_PER_READ) {
    const last = Math.min(blockCount, first + BLOCKS_PER_READ);
    const base = textBlockStart[first];
    const bytes = texts(base, textBlockStart[last]);
    const rows = new PackedCursor(bytes);
    try {
      for (let block = first; block < last; block++) {
        rows.enter(textBlockStart[block] - base, textBlockStart[block + 1] - base);
        addBlock(writer, rows, Math.min(TEXT_BLOCK_ADVISORIES, count - block * TEXT_BLOCK_ADVISORIES));
      }
    } catch (error) {
      if (!(error instanceof PackedError)) throw error;
      const isText = error.bytes === bytes;
      const offset = isText ? base + error.offset : error.offset;
      const expected = 'rows of listed texts and product labels';
      throw badRecord(isText ? 'texts' : 'index.termBytes', offset, expected, error.message);
    }
  }
  return writer.finish();
}

function addBlock(writer: ListItemWriter, rows: PackedCursor, rowCount: number): void {
  const got = rows.array();
  if (got !== rowCount) throw new PackedError(rows.bytes, rows.at, `${got} rows instead of ${rowCount}`);
  for (let row = 0; row < rowCount; row++) writer.add(rows);
  if (!rows.isAtEnd) throw new PackedError(rows.bytes, rows.at, `more than ${rowCount} rows`);
}

function countTypes(columns: IndexColumns): Record<ProductType, number> {
  const counts = PRODUCT_TYPES.map(() => 0);
  const { productType, productAdvisoryStart } = columns;
  for (let product = 0; product < productType.length; product++) {
    counts[productType[product]] += productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  }
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, counts[i]])) as Record<ProductType, number>;
}
