// Checks the blocks of a snapshot that is already served: every block is sound, every item has its length,
// every reference its title. Whoever opens a block checks it first (row-block.ts), so this finds early what a
// request would find late. It does little at a time, because the thread that loads has other things to do.

import {
  BLOCK_SECTIONS,
  type BlockSection,
  DETAIL_BLOCK_ADVISORIES,
  type IndexColumns,
} from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { ItemMaker } from './item-maker.ts';
import type { PackedSections } from './reader.ts';
import { badRecord, blockStartOf, openRowBlock, type RowBlock } from './row-block.ts';

/**
 * The budget for all blocks, inflated. Normal files need one to three bytes per byte: this allows seconds,
 * not minutes, of work.
 */
const LEAST_BLOCK_BUDGET = 256 << 20;
const BLOCK_BYTES_PER_FILE_BYTE = 32;
/** Between two looks at the clock. */
const ROWS_AT_ONCE = DETAIL_BLOCK_ADVISORIES;

/** What a check needs of a loaded snapshot. */
interface CheckedSnapshot {
  readonly generation: Pick<Generation, 'parts'>;
  readonly packed: PackedSections;
  readonly fileBytes: number;
}

export class SnapshotCheck {
  readonly #loaded: CheckedSnapshot;
  readonly #maker: ItemMaker;
  readonly #maxInflatedBytes: number;
  #inflatedBytes = 0;
  #details: RowBlock | undefined;
  #ordinal = 0;
  #bodyBlock = 0;

  constructor(loaded: CheckedSnapshot) {
    this.#loaded = loaded;
    this.#maker = new ItemMaker(loaded.generation.parts, loaded.packed);
    this.#maxInflatedBytes = LEAST_BLOCK_BUDGET + loaded.fileBytes * BLOCK_BYTES_PER_FILE_BYTE;
  }

  /**
   * Checks for that long, or a little longer. True once everything is found sound. Throws SnapshotError with
   * the first fault.
   */
  run(forMs = Number.POSITIVE_INFINITY): boolean {
    const untilMs = performance.now() + forMs;
    const { length } = this.#columns.advisoryId;
    while (!this.#isOver) {
      if (this.#ordinal < length) this.#checkAdvisories(length);
      else this.#openBlock('bodies', this.#bodyBlock++);
      if (performance.now() >= untilMs) return this.#isOver;
    }
    return true;
  }

  get #isOver(): boolean {
    const { advisoryId, bodyBlockStart } = this.#columns;
    return this.#ordinal === advisoryId.length && this.#bodyBlock === bodyBlockStart.length - 1;
  }

  #checkAdvisories(count: number): void {
    const last = Math.min(count, this.#ordinal + ROWS_AT_ONCE);
    for (; this.#ordinal < last; this.#ordinal++) {
      const block = Math.floor(this.#ordinal / DETAIL_BLOCK_ADVISORIES);
      const row = this.#ordinal % DETAIL_BLOCK_ADVISORIES;
      if (row === 0 || this.#details === undefined) this.#details = this.#openBlock('details', block);
      this.#maker.itemAt(this.#ordinal);
      this.#requireWithinBudget('texts', this.#ordinal);
      this.#maker.requireTitles(this.#ordinal, this.#details.referenceCounts[row]);
    }
  }

  get #columns(): IndexColumns {
    return this.#loaded.generation.parts.columns;
  }

  #openBlock(section: BlockSection, block: number): RowBlock {
    const opened = openRowBlock(this.#columns, this.#loaded.packed, section, block);
    this.#inflatedBytes += opened.bytes.length;
    this.#requireWithinBudget(section, block * BLOCK_SECTIONS[section].rowsPerBlock);
    return opened;
  }

  /** A block inflates to up to a thousand times its size, and so could a whole file. */
  #requireWithinBudget(section: BlockSection, row: number): void {
    if (this.#inflatedBytes + this.#maker.inflatedBytes <= this.#maxInflatedBytes) return;
    const block = Math.floor(row / BLOCK_SECTIONS[section].rowsPerBlock);
    const expected = `blocks that make at most ${this.#maxInflatedBytes} bytes together`;
    throw badRecord(section, blockStartOf(this.#columns, section, block), expected, 'blocks that make more');
  }
}
