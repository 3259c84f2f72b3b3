// Makes the list items of a snapshot, one at a time, and checks them: the block of texts is sound, the item
// has the length that the snapshot says, and is UTF-8.

import { isUtf8 } from 'node:buffer';
import { DETAIL_BLOCK_ADVISORIES, type IndexColumns, TEXT_BLOCK_ADVISORIES } from '../../index/columns.ts';
import type { GenerationParts } from '../../index/generation.ts';
import type { DetailRecord, OpenRecords } from '../../index/items/detail-record.ts';
import { type ItemPart, MAX_MEMORY_BYTES } from '../../index/items/item-parts.ts';
import { ItemWriter } from '../../index/items/item-writer.ts';
import { type ItemSource, type MadeItem, partIndexOf } from '../../index/items/prepared-items.ts';
import { ByteWriter, WriterFullError } from '../../index/memory/byte-writer.ts';
import { PackedCursor } from '../../index/memory/packed-cursor.ts';
import type { PackedSections } from './reader.ts';
import { SnapshotRecords } from './records.ts';
import { badRecord, blockStartOf, openRowBlock, type RowBlock } from './row-block.ts';
import { columnFault } from './verify-columns.ts';

/** Room for most items. A longer one makes the room larger until the next. */
const SCRATCH_BYTES = 16 << 10;
/** Few, but more than one: a comparison walks several runs of advisories at once. */
const OPEN_BLOCKS = 4;

interface OpenTexts {
  readonly block: number;
  readonly rows: RowBlock;
  readonly cursor: PackedCursor;
}

export class ItemMaker implements ItemSource {
  readonly #columns: IndexColumns;
  readonly #packed: PackedSections;
  readonly #parts: readonly ItemPart[];
  readonly #out = new ByteWriter((size) => new Uint8Array(size), SCRATCH_BYTES, SCRATCH_BYTES);
  readonly #writer: ItemWriter;
  /** The latest first. */
  #open: readonly OpenTexts[] = [];
  /** Of all the blocks that were opened. */
  inflatedBytes = 0;

  constructor({ columns, items }: Pick<GenerationParts, 'columns' | 'items'>, packed: PackedSections) {
    this.#columns = columns;
    this.#packed = packed;
    this.#parts = items.parts;
    const records = new SnapshotRecords(columns, packed);
    this.#writer = new ItemWriter(columns, items, (term) => records.termAt(term), this.#out);
  }

  /**
   * Requires that the detail record of an advisory has a title for each of its references. Throws
   * SnapshotError.
   */
  requireTitles(ordinal: number, titleCount: number): void {
    const { rows } = this.#texts(Math.floor(ordinal / TEXT_BLOCK_ADVISORIES));
    const expected = rows.referenceCounts[ordinal % TEXT_BLOCK_ADVISORIES];
    if (titleCount === expected) return;
    const offset = blockStartOf(this.#columns, 'details', Math.floor(ordinal / DETAIL_BLOCK_ADVISORIES));
    throw badRecord('details', offset, `${expected} reference titles of ordinal ${ordinal}`, `${titleCount}`);
  }

  /** The item, in memory that is aligned like its place. */
  itemAt(ordinal: number): MadeItem {
    const out = this.#out;
    const writer = this.#writer;
    const { firstOrdinal, itemStart } = this.#parts[partIndexOf(this.#parts, ordinal)];
    const { rows, cursor, block } = this.#texts(Math.floor(ordinal / TEXT_BLOCK_ADVISORIES));
    const row = ordinal % TEXT_BLOCK_ADVISORIES;
    cursor.enter(rows.starts[row], rows.starts[row + 1]);
    out.truncate(0);
    out.alignWith(itemStart[ordinal - firstOrdinal]);
    const lead = out.length;
    const expected = this.#columns.advisoryItemBytes[ordinal];
    out.limitTo(Math.min(MAX_MEMORY_BYTES, Math.max(SCRATCH_BYTES, lead + expected)));
    let isFull = false;
    try {
      writer.write(ordinal, cursor);
    } catch (error) {
      if (!(error instanceof WriterFullError)) throw error;
      isFull = true;
    }
    const bytes = out.view().subarray(lead);
    if (out.capacity > SCRATCH_BYTES) out.reallocate(SCRATCH_BYTES);
    const offset = blockStartOf(this.#columns, 'texts', block);
    const id = this.#columns.advisoryId[ordinal];
    if (isFull || bytes.length !== expected) {
      const length = isFull ? `more than ${bytes.length}` : `${bytes.length}`;
      columnFault('bad-index', 'advisoryItemBytes', ordinal, length, expected);
    }
    if (!isUtf8(bytes)) {
      throw badRecord('texts', offset, `UTF-8 in the texts and terms of advisory ${id}`, 'other bytes');
    }
    return { bytes, marks: writer.marks, tailBytes: writer.tailBytes };
  }

  #texts(block: number): OpenTexts {
    const known = this.#open.find((each) => each.block === block);
    if (known !== undefined) return known;
    const rows = openRowBlock(this.#columns, this.#packed, 'texts', block);
    this.inflatedBytes += rows.bytes.length;
    const opened = { block, rows, cursor: new PackedCursor(rows.bytes) };
    this.#open = [opened, ...this.#open.slice(0, OPEN_BLOCKS - 1)];
    return opened;
  }
}

/** All that a generation asks of its snapshot. */
export class GenerationRecords extends SnapshotRecords implements ItemSource {
  readonly #items: ItemMaker;

  constructor(parts: Pick<GenerationParts, 'columns' | 'items'>, packed: PackedSections) {
    super(parts.columns, packed);
    this.#items = new ItemMaker(parts, packed);
  }

  itemAt(ordinal: number): MadeItem {
    return this.#items.itemAt(ordinal);
  }

  override detailAt(ordinal: number, open: OpenRecords): DetailRecord {
    const record = super.detailAt(ordinal, open);
    this.#items.requireTitles(ordinal, record[2].length);
    return record;
  }
}
