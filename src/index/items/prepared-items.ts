// Prepared items as answers use them: a run of items unchanged, or one item up to its tail or its last brace.
// The caller appends the rest.

import { type ByteWriter, WORD_BYTES } from '../memory/byte-writer.ts';
import type { OwnArea } from '../memory/own-area.ts';
import { OPEN_END_BYTES } from './item-layout.ts';
import type { ItemPart } from './item-parts.ts';
import type { ListItems } from './list-item.ts';

const utf8 = new TextEncoder();
const MOST_BLANKS = WORD_BYTES - 1;
const BLANKS = utf8.encode(' '.repeat(MOST_BLANKS));

/** Index of the part that holds an item. Nearly every snapshot has one part, and none has many. */
export function partIndexOf({ parts }: ListItems, ordinal: number): number {
  let part = parts.length - 1;
  while (part > 0 && parts[part].firstOrdinal > ordinal) part--;
  return part;
}

export function partOf(items: ListItems, ordinal: number): ItemPart {
  return items.parts[partIndexOf(items, ordinal)];
}

/** Appends the items of consecutive ordinals with commas between them; nothing for an empty run. */
export function writeItems(out: ByteWriter, items: ListItems, first: number, last: number): void {
  for (let from = first; from < last; ) {
    const { bytes, firstOrdinal, itemStart } = partOf(items, from);
    const to = Math.min(last, firstOrdinal + itemStart.length - 1);
    const end = itemStart[to - firstOrdinal];
    out.copy(bytes, itemStart[from - firstOrdinal], to === last ? end - 1 : end);
    from = to;
  }
}

/** Appends an item up to the value of its last field, `fixed`. */
export function writeHead(out: ByteWriter, items: ListItems, ordinal: number): void {
  const { bytes, firstOrdinal, itemStart } = partOf(items, ordinal);
  const start = itemStart[ordinal - firstOrdinal];
  out.alignWith(start);
  out.copy(bytes, start, itemStart[ordinal - firstOrdinal + 1] - items.tailBytes[ordinal]);
}

/** Appends an item without its last brace, so that members can be added. */
export function writeOpenItem(out: ByteWriter, items: ListItems, ordinal: number): void {
  const { bytes, firstOrdinal, itemStart } = partOf(items, ordinal);
  const start = itemStart[ordinal - firstOrdinal];
  out.alignWith(start);
  out.copy(bytes, start, itemStart[ordinal - firstOrdinal + 1] - OPEN_END_BYTES);
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
 * `between`. Requires: the first is aligned.
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

/** Appends one item to an area of its part, without its last brace and the comma. Requires: it is aligned. */
export function gatherOpenItem(area: OwnArea, { firstOrdinal, itemStart }: ItemPart, ordinal: number): void {
  const item = ordinal - firstOrdinal;
  area.range(itemStart[item], itemStart[item + 1] - OPEN_END_BYTES);
}

/**
 * Appends the items of consecutive ordinals to an area of their part, with commas between them. Requires: at
 * least one item, all in that part.
 */
export function gatherItems(
  area: OwnArea,
  { firstOrdinal, itemStart }: ItemPart,
  first: number,
  last: number,
): void {
  area.range(itemStart[first - firstOrdinal], itemStart[last - firstOrdinal] - 1);
}
