// Prepares the items of a generation. One copy serves all forms of an item: consecutive items are consecutive
// ordinals, so a default page of /all is one range of bytes from the start of an item to the comma before the
// next page. Every other form copies the part before the tail and writes its own tail: another fix, the
// matched range, the details. See docs/decisions/0002.

import type { IndexColumns } from '../columns.ts';
import type { PackedCursor } from '../memory/packed-cursor.ts';
import { MARKED_FIELDS } from './item-layout.ts';
import { type ItemLimits, ItemPartsWriter } from './item-parts.ts';
import { ItemWriter } from './item-writer.ts';
import type { ListItems } from './list-item.ts';

/** Writes the items of a generation in order of ordinal. Its working data is garbage afterwards. */
export class ListItemWriter {
  readonly #parts: ItemPartsWriter;
  readonly #writer: ItemWriter;
  #ordinal = 0;
  readonly #tailBytes: Uint16Array;
  readonly #marks: Uint16Array;
  readonly #lowestFix: Uint32Array;

  /** `expectedBytes` is an estimate of the total. */
  constructor(
    columns: IndexColumns,
    termAt: (term: number) => unknown,
    expectedBytes: number,
    limits: ItemLimits,
  ) {
    const count = columns.advisoryId.length;
    this.#parts = new ItemPartsWriter(count, expectedBytes, limits);
    this.#writer = new ItemWriter(columns, termAt, this.#parts.out);
    this.#tailBytes = new Uint16Array(new SharedArrayBuffer(count * 2));
    this.#marks = new Uint16Array(new SharedArrayBuffer(count * MARKED_FIELDS.length * 2));
    this.#lowestFix = new Uint32Array(new SharedArrayBuffer(count * 4));
  }

  /**
   * Writes the item of the next ordinal from the row at the cursor. Throws PackedError when there is no such
   * row, WriterFullError when a limit is exceeded. Returns how many references the row has.
   */
  add(row: PackedCursor): number {
    const ordinal = this.#ordinal++;
    const writer = this.#writer;
    writer.write(ordinal, row);
    this.#lowestFix[ordinal] = writer.lowestFix;
    this.#tailBytes[ordinal] = writer.tailBytes;
    const first = ordinal * MARKED_FIELDS.length;
    for (let mark = 0; mark < MARKED_FIELDS.length; mark++) this.#marks[first + mark] = writer.marks[mark];
    this.#parts.endItem();
    return writer.referenceCount;
  }

  finish(): ListItems {
    return {
      parts: this.#parts.finish(),
      tailBytes: this.#tailBytes,
      marks: this.#marks,
      lowestFix: this.#lowestFix,
      versionJson: this.#writer.versionJson,
    };
  }
}
