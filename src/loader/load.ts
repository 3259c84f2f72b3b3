// Turns a file into a generation: read, verify, prepare. Everything is synchronous, and nothing is served
// until all of it has succeeded.

import { isUtf8 } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import { type IndexColumns, TEXT_BLOCK_ADVISORIES } from '../index/columns.ts';
import { Generation, type GenerationParts, type LookupTap } from '../index/generation.ts';
import { DEFAULT_PART_BYTES, type ItemLimits, MAX_MEMORY_BYTES } from '../index/items/item-parts.ts';
import type { ListItems } from '../index/items/list-item.ts';
import { ListItemWriter } from '../index/items/list-item-writer.ts';
import { buildProductSlots } from '../index/lookup/product-table.ts';
import { WriterFullError } from '../index/memory/byte-writer.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { BlockCheck } from './block-check.ts';
import { blockSectionBytes, type Header } from './format.ts';
import {
  type OpenSnapshot,
  type PackedSections,
  readOpenSnapshot,
  type SnapshotBytes,
  withSnapshot,
} from './reader.ts';
import { badRecord, SnapshotRecords, walkBlock } from './records.ts';
import { verifyTerms } from './terms.ts';
import { verifyIndex } from './verify.ts';
import { columnFault } from './verify-columns.ts';

/**
 * Bytes of an item beyond its own texts: member names, dates, interned values. An estimate that is rarely
 * exceeded.
 */
const ITEM_BYTES = 900;
/**
 * The budget for all items: this, plus so many bytes per byte of the file. Normal files need one to five;
 * without it, texts shared by many advisories could turn 15 MB into 4 GB.
 */
const LEAST_ITEM_BUDGET = 64 << 20;
const ITEM_BYTES_PER_FILE_BYTE = 16;
/**
 * The budget for all blocks, inflated. Normal files need about one byte per byte: this allows seconds, not
 * minutes, of work.
 */
const LEAST_BLOCK_BUDGET = 256 << 20;
const BLOCK_BYTES_PER_FILE_BYTE = 32;
/** Items checked together: a few megabytes, and few enough to find the bad one quickly. */
const UTF8_STRETCH = 4096;

/** How items are divided among memories. */
type PartLimits = Pick<ItemLimits, 'partBytes' | 'memoryBytes'>;
const PART_LIMITS: PartLimits = { partBytes: DEFAULT_PART_BYTES, memoryBytes: MAX_MEMORY_BYTES };

export interface LoadedSnapshot {
  readonly generation: Generation;
  /** With `generation.parts`, all that another thread needs to open its own generation. */
  readonly packed: PackedSections;
  readonly fileBytes: number;
  readonly format: number;
}

/** Throws SnapshotError with the first fault. */
export function loadSnapshot(path: string, limits: PartLimits = PART_LIMITS): LoadedSnapshot {
  return withSnapshot(path, (file) => loadOpenSnapshot(file, limits));
}

/** Loads an open file. Throws SnapshotError with the first fault. */
export function loadOpenSnapshot(file: OpenSnapshot, limits: PartLimits = PART_LIMITS): LoadedSnapshot {
  return prepareSnapshot(readOpenSnapshot(file), limits);
}

/** Verifies and prepares what was read. Throws SnapshotError. */
export function prepareSnapshot(
  { id, header, packed, columns }: SnapshotBytes,
  limits: PartLimits = PART_LIMITS,
): LoadedSnapshot {
  verifyIndex(columns, blockSectionBytes(header));
  verifyTerms(columns);
  const records = new SnapshotRecords(columns, packed);
  const blockBudget = LEAST_BLOCK_BUDGET + header.totalBytes * BLOCK_BYTES_PER_FILE_BYTE;
  const check = new BlockCheck(columns, packed, blockBudget);
  try {
    const { items, referenceCounts } = prepareItems(columns, records, packed, header, limits);
    requireUtf8(columns, items);
    requireItemBytes(columns, items);
    check.finish(referenceCounts);
    const parts: GenerationParts = {
      id,
      builtAtMs: header.builtAtMs,
      columns,
      items,
      productSlots: buildProductSlots(columns, randomFillSync),
      typeCounts: countTypes(columns),
    };
    const { totalBytes: fileBytes, format } = header;
    return { generation: openGeneration(parts, packed), packed, fileBytes, format };
  } finally {
    check.abandon();
  }
}

/** A generation over parts loaded in this thread or another. */
export function openGeneration(parts: GenerationParts, packed: PackedSections, tap?: LookupTap): Generation {
  return new Generation(parts, new SnapshotRecords(parts.columns, packed), tap);
}

function prepareItems(
  columns: IndexColumns,
  records: SnapshotRecords,
  packed: PackedSections,
  { sections, totalBytes }: Header,
  limits: PartLimits,
): { readonly items: ListItems; readonly referenceCounts: Uint32Array } {
  const count = columns.advisoryId.length;
  const blockCount = columns.textBlockStart.length - 1;
  const budget = LEAST_ITEM_BUDGET + totalBytes * ITEM_BYTES_PER_FILE_BYTE;
  const expected = Math.min(budget, sections.texts.length + count * ITEM_BYTES);
  const writer = new ListItemWriter(columns, (term) => records.termAt(term), expected, {
    totalBytes: budget,
    ...limits,
  });
  const referenceCounts = new Uint32Array(count);
  try {
    for (let block = 0; block < blockCount; block++) {
      walkBlock(columns, packed, 'texts', block, count, (row, ordinal) => {
        referenceCounts[ordinal] = writer.add(row);
      });
    }
    return { items: writer.finish(), referenceCounts };
  } catch (error) {
    if (!(error instanceof WriterFullError)) throw error;
    const most = `list items of at most ${budget} bytes, and each of at most ${limits.memoryBytes}`;
    throw badRecord('texts', 0, most, 'texts and terms that make more');
  }
}

/** The lengths that the file says its items have, by which another loader may place them. */
function requireItemBytes({ advisoryItemBytes }: IndexColumns, { parts }: ListItems): void {
  for (const { firstOrdinal, itemStart } of parts) {
    for (let item = 0; item + 1 < itemStart.length; item++) {
      const said = advisoryItemBytes[firstOrdinal + item];
      const length = itemStart[item + 1] - itemStart[item];
      if (said === length) continue;
      columnFault('bad-index', 'advisoryItemBytes', firstOrdinal + item, String(length), said);
    }
  }
}

/**
 * Checks the items instead of the texts and terms they are made of, which are copied byte for byte between
 * quotes: one check of megabytes takes a hundredth of the time of many checks of a few bytes.
 */
function requireUtf8({ advisoryId, textBlockStart }: IndexColumns, { parts }: ListItems): void {
  for (const { bytes, firstOrdinal, itemStart } of parts) {
    const isSound = (first: number, last: number): boolean =>
      isUtf8(bytes.subarray(itemStart[first], itemStart[last]));
    const count = itemStart.length - 1;
    for (let first = 0; first < count; first += UTF8_STRETCH) {
      if (isSound(first, Math.min(count, first + UTF8_STRETCH))) continue;
      let item = first;
      while (isSound(item, item + 1)) item++;
      const ordinal = firstOrdinal + item;
      const offset = textBlockStart[Math.floor(ordinal / TEXT_BLOCK_ADVISORIES)];
      throw badRecord(
        'texts',
        offset,
        `UTF-8 in the texts and terms of advisory ${advisoryId[ordinal]}`,
        'other bytes',
      );
    }
  }
}

function countTypes(columns: IndexColumns): Record<ProductType, number> {
  const counts = PRODUCT_TYPES.map(() => 0);
  const { productType, productAdvisoryStart } = columns;
  for (let product = 0; product < productType.length; product++) {
    counts[productType[product]] += productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  }
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, counts[i]])) as Record<ProductType, number>;
}
