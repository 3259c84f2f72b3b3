// The items of a generation as one thread uses them: a run of items unchanged, or one item up to its tail or
// its last brace, to which the caller appends the rest. An item is prepared by the first thread that needs
// it, at its place in shared memory. Two threads may prepare the same one: they write the same bytes. So a
// load costs nothing for items, and one that nobody asks for takes no memory. See docs/decisions/0025.

import { type ByteWriter, WORD_BYTES } from '../memory/byte-writer.ts';
import type { OwnArea } from '../memory/own-area.ts';
import { MARKED_FIELDS, OPEN_END_BYTES } from './item-layout.ts';
import type { ItemPart } from './item-parts.ts';
import type { ListItems } from './list-item.ts';

const utf8 = new TextEncoder();
const MOST_BLANKS = WORD_BYTES - 1;
const BLANKS = utf8.encode(' '.repeat(MOST_BLANKS));
const MARKS_PER_ITEM = MARKED_FIELDS.length;

/** An item that was just made. Its bytes are valid until the next one is. */
export interface MadeItem {
  readonly bytes: Uint8Array;
  readonly marks: Uint16Array;
  readonly tailBytes: number;
}

export interface ItemSource {
  /** Makes an item, of the length that its place has. Throws SnapshotError when the snapshot has a fault. */
  itemAt(ordinal: number): MadeItem;
}

/** Where an item is: bytes[start..end), with its marks from marks[firstMark]. */
export interface ItemPlace {
  bytes: Uint8Array;
  start: number;
  end: number;
  marks: Uint16Array;
  firstMark: number;
  tailBytes: number;
}

export class PreparedItems {
  readonly parts: readonly ItemPart[];
  readonly #stored: ListItems;
  readonly #source: ItemSource;
  readonly #keeps: boolean;

  /**
   * Without `keeps`, reading fields of an item that is not prepared leaves it so: for a thread that reads
   * all.
   */
  constructor(stored: ListItems, source: ItemSource, keeps: boolean) {
    this.parts = stored.parts;
    this.#stored = stored;
    this.#source = source;
    this.#keeps = keeps;
  }

  /** Prepares what is not. Throws SnapshotError. */
  require(first: number, last: number): void {
    const { isReady } = this.#stored;
    for (let ordinal = first; ordinal < last; ordinal++) {
      if (Atomics.load(isReady, ordinal) === 0) this.#prepare(ordinal);
    }
  }

  /** Finds an item whose fields are to be read. Throws SnapshotError. */
  locate(ordinal: number, place: ItemPlace): void {
    const { isReady, marks, tailBytes } = this.#stored;
    if (Atomics.load(isReady, ordinal) === 0) {
      if (!this.#keeps) {
        const made = this.#source.itemAt(ordinal);
        place.bytes = made.bytes.slice();
        place.start = 0;
        place.end = place.bytes.length;
        place.marks = made.marks.slice();
        place.firstMark = 0;
        place.tailBytes = made.tailBytes;
        return;
      }
      this.#prepare(ordinal);
    }
    const { bytes, firstOrdinal, itemStart } = partOf(this.parts, ordinal);
    place.bytes = bytes;
    place.start = itemStart[ordinal - firstOrdinal];
    place.end = itemStart[ordinal - firstOrdinal + 1];
    place.marks = marks;
    place.firstMark = ordinal * MARKS_PER_ITEM;
    place.tailBytes = tailBytes[ordinal];
  }

  /** Appends the items of consecutive ordinals with commas between them; nothing for an empty run. */
  writeItems(out: ByteWriter, first: number, last: number): void {
    this.require(first, last);
    for (let from = first; from < last; ) {
      const { bytes, firstOrdinal, itemStart } = partOf(this.parts, from);
      const to = Math.min(last, firstOrdinal + itemStart.length - 1);
      const end = itemStart[to - firstOrdinal];
      out.copy(bytes, itemStart[from - firstOrdinal], to === last ? end - 1 : end);
      from = to;
    }
  }

  /** Appends an item up to the value of its last field, `fixed`. */
  writeHead(out: ByteWriter, ordinal: number): void {
    this.require(ordinal, ordinal + 1);
    this.#write(out, ordinal, this.#stored.tailBytes[ordinal]);
  }

  /** Appends an item without its last brace, so that members can be added. */
  writeOpenItem(out: ByteWriter, ordinal: number): void {
    this.require(ordinal, ordinal + 1);
    this.#write(out, ordinal, OPEN_END_BYTES);
  }

  /** Appends an item without its last `cut` bytes. */
  #write(out: ByteWriter, ordinal: number, cut: number): void {
    const { bytes, firstOrdinal, itemStart } = partOf(this.parts, ordinal);
    const start = itemStart[ordinal - firstOrdinal];
    out.alignWith(start);
    out.copy(bytes, start, itemStart[ordinal - firstOrdinal + 1] - cut);
  }

  #prepare(ordinal: number): void {
    const { isReady, marks, tailBytes } = this.#stored;
    const made = this.#source.itemAt(ordinal);
    const { bytes, firstOrdinal, itemStart } = partOf(this.parts, ordinal);
    bytes.set(made.bytes, itemStart[ordinal - firstOrdinal]);
    marks.set(made.marks, ordinal * MARKS_PER_ITEM);
    tailBytes[ordinal] = made.tailBytes;
    Atomics.store(isReady, ordinal, 1); // after the rest, which other threads then see
  }
}

/** Index of the part that holds an item. Nearly every snapshot has one part, and none has many. */
export function partIndexOf(parts: readonly ItemPart[], ordinal: number): number {
  let part = parts.length - 1;
  while (part > 0 && parts[part].firstOrdinal > ordinal) part--;
  return part;
}

function partOf(parts: readonly ItemPart[], ordinal: number): ItemPart {
  return parts[partIndexOf(parts, ordinal)];
}

/**
 * The spaces that `writeHead` and `writeOpenItem` put before an item when the text before has this length.
 */
export function paddingBefore(
  { firstOrdinal, itemStart }: ItemPart,
  ordinal: number,
  length: number,
): Uint8Array {
  return BLANKS.subarray(0, (itemStart[ordinal - firstOrdinal] - length) & MOST_BLANKS);
}

/**
 * A constant for `gatherOpenItems`: what comes between an open item and the next, then spaces. Their number
 * does not depend on the items, because each is aligned as in memory, where two bytes take the place of the
 * constant.
 */
export function betweenOpenItems(text: string): Uint8Array {
  const bytes = utf8.encode(text);
  return utf8.encode(text + ' '.repeat((OPEN_END_BYTES - bytes.length) & MOST_BLANKS));
}

/**
 * Appends items of consecutive ordinals to an area of their part, each without its last brace and followed by
 * `between`. Requires: they are prepared, the first is aligned.
 */
export function gatherOpenItems(
  area: OwnArea,
  { firstOrdinal, itemStart }: ItemPart,
  first: number,
  last: number,
  between: Uint8Array,
): void {
  area.separated(itemStart, first - firstOrdinal, last - firstOrdinal, OPEN_END_BYTES, between);
}

/**
 * Appends one item to an area of its part, without its last brace and the comma. Requires: it is prepared and
 * aligned.
 */
export function gatherOpenItem(area: OwnArea, { firstOrdinal, itemStart }: ItemPart, ordinal: number): void {
  const item = ordinal - firstOrdinal;
  area.range(itemStart[item], itemStart[item + 1] - OPEN_END_BYTES);
}

/**
 * Appends the items of consecutive ordinals to an area of their part, with commas between them. Requires: at
 * least one item, all prepared and in that part.
 */
export function gatherItems(
  area: OwnArea,
  { firstOrdinal, itemStart }: ItemPart,
  first: number,
  last: number,
): void {
  area.range(itemStart[first - firstOrdinal], itemStart[last - firstOrdinal] - 1);
}
