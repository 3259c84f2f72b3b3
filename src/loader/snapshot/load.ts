// Turns a file into a generation: read, verify the columns, lay out the room for items. Everything is
// synchronous. What the blocks of texts, details and bodies hold is checked when they are opened, and behind
// the swap by snapshot-check.ts: so a load takes a fraction of the time that making every item would.

import { randomFillSync } from 'node:crypto';
import type { IndexColumns } from '../../index/columns.ts';
import { Generation, type GenerationParts, type LookupTap } from '../../index/generation.ts';
import { fixRange } from '../../index/items/affected-range.ts';
import { MARKED_FIELDS } from '../../index/items/item-layout.ts';
import {
  DEFAULT_PART_BYTES,
  layItems,
  MAX_MEMORY_BYTES,
  type PartLimits,
} from '../../index/items/item-parts.ts';
import { poolVersions } from '../../index/items/item-writer.ts';
import type { ListItems } from '../../index/items/list-item.ts';
import { buildBoundPrefixes } from '../../index/lookup/interval-index.ts';
import { buildProductRows } from '../../index/lookup/product-rows.ts';
import { buildLooseSlots, buildProductSlots } from '../../index/lookup/product-table.ts';
import { WORD_BYTES } from '../../index/memory/byte-writer.ts';
import { PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import { blockSectionBytes, type Header } from '../format.ts';
import { GenerationRecords } from './item-maker.ts';
import {
  type HeldSection,
  type OpenSnapshot,
  type PackedSections,
  readOpenSnapshot,
  type SnapshotBytes,
  withSnapshot,
} from './reader.ts';
import { SnapshotCheck } from './snapshot-check.ts';
import { verifyTerms } from './terms.ts';
import { type ShareChecks, verifyIndex } from './verify.ts';
import { columnFault } from './verify-columns.ts';

/**
 * The budget for all items: this, plus so many bytes per byte of the file. Normal files need two to five;
 * without it, texts shared by many advisories could turn 15 MB into 4 GB.
 */
const LEAST_ITEM_BUDGET = 64 << 20;
const ITEM_BYTES_PER_FILE_BYTE = 16;

const PART_LIMITS: PartLimits = { partBytes: DEFAULT_PART_BYTES, memoryBytes: MAX_MEMORY_BYTES };

export interface LoadedSnapshot {
  readonly generation: Generation;
  /** With `generation.parts`, all that another thread needs to open its own generation. */
  readonly packed: PackedSections;
  readonly fileBytes: number;
  readonly format: number;
}

/** Throws SnapshotError with the first fault that the columns have. */
export function loadSnapshot(path: string, limits: PartLimits = PART_LIMITS): LoadedSnapshot {
  return withSnapshot(path, (file) => loadOpenSnapshot(file, limits));
}

/** Loads a file and checks all of it. Throws SnapshotError with the first fault. */
export function loadChecked(path: string): LoadedSnapshot {
  const loaded = loadSnapshot(path);
  new SnapshotCheck(loaded).run();
  return loaded;
}

/** Loads an open file. Throws SnapshotError with the first fault that the columns have. */
export function loadOpenSnapshot(file: OpenSnapshot, limits: PartLimits = PART_LIMITS): LoadedSnapshot {
  return readOpenSnapshot(file, (snapshot, share) => prepareSnapshot(snapshot, limits, share));
}

/** Reads the index of a file, with its columns checked, and the sections to be held. Throws SnapshotError. */
export function readVerified(path: string, held: readonly HeldSection[]): SnapshotBytes {
  const verified = (snapshot: SnapshotBytes, share?: ShareChecks): SnapshotBytes => {
    verifyColumns(snapshot, share);
    return snapshot;
  };
  return withSnapshot(path, (file) => readOpenSnapshot(file, verified, held));
}

function verifyColumns({ header, columns }: SnapshotBytes, share: ShareChecks | undefined): void {
  verifyIndex(columns, blockSectionBytes(header), share);
  verifyTerms(columns);
}

/** Verifies and prepares what was read. Throws SnapshotError. */
export function prepareSnapshot(
  snapshot: SnapshotBytes,
  limits: PartLimits = PART_LIMITS,
  share?: ShareChecks,
): LoadedSnapshot {
  verifyColumns(snapshot, share);
  const { id, header, packed, columns } = snapshot;
  const productSlots = buildProductSlots(columns, randomFillSync);
  const parts: GenerationParts = {
    id,
    builtAtMs: header.builtAtMs,
    columns,
    items: roomForItems(columns, header, limits),
    productRows: buildProductRows(columns),
    productSlots,
    looseSlots: buildLooseSlots(columns, productSlots),
    boundPrefix: buildBoundPrefixes(columns),
    typeCounts: countTypes(columns),
  };
  const { totalBytes: fileBytes, format } = header;
  return { generation: openGeneration(parts, packed, { keepsItems: false }), packed, fileBytes, format };
}

/** A generation over parts loaded in this thread or another. */
export function openGeneration(
  parts: GenerationParts,
  packed: PackedSections,
  options?: { readonly tap?: LookupTap; readonly keepsItems?: boolean },
): Generation {
  return new Generation(parts, new GenerationRecords(parts, packed), options);
}

function roomForItems(columns: IndexColumns, { totalBytes }: Header, limits: PartLimits): ListItems {
  const { advisoryItemBytes } = columns;
  requireRoom(advisoryItemBytes, LEAST_ITEM_BUDGET + totalBytes * ITEM_BYTES_PER_FILE_BYTE, limits);
  const count = advisoryItemBytes.length;
  const lowestFix = new Uint32Array(new SharedArrayBuffer(count * 4));
  for (let ordinal = 0; ordinal < count; ordinal++) lowestFix[ordinal] = fixRange(columns, ordinal).lowest;
  return {
    ...poolVersions(columns),
    parts: layItems(advisoryItemBytes, limits),
    isReady: new Uint8Array(new SharedArrayBuffer(count)),
    tailBytes: new Uint16Array(new SharedArrayBuffer(count * 2)),
    marks: new Uint16Array(new SharedArrayBuffer(count * MARKED_FIELDS.length * 2)),
    lowestFix,
  };
}

function requireRoom(itemBytes: Uint32Array, budget: number, { memoryBytes }: PartLimits): void {
  let total = 0;
  for (let ordinal = 0; ordinal < itemBytes.length; ordinal++) {
    total += itemBytes[ordinal];
    if (total <= budget && itemBytes[ordinal] <= memoryBytes - WORD_BYTES) continue;
    const expected = `list items of at most ${budget} bytes, and each of at most ${memoryBytes - WORD_BYTES}`;
    columnFault('bad-index', 'advisoryItemBytes', ordinal, expected, itemBytes[ordinal]);
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
