// Where prepared items are kept: one or more memories, each with room for the items of consecutive ordinals.
// A memory addresses 4 GiB, and part of that is for the areas in which threads assemble answers, so a part is
// closed at half of it. docs/decisions/0012 has the reasons.

import { WORD_BYTES } from '../memory/byte-writer.ts';
import { allocateShared, type SharedMemory } from '../memory/shared-memory.ts';

export interface ItemPart {
  /** Begins with `bytes`; after them come the starts, then the areas of threads. */
  readonly memory: SharedMemory;
  /** Zeros where an item is not prepared yet: pages that are never written cost no memory. */
  readonly bytes: Uint8Array;
  /** The items from this ordinal up to the next part's. */
  readonly firstOrdinal: number;
  /**
   * Where each of them begins in `bytes`; one more entry marks the end of the last. A comma ends each item.
   * In `memory`, so that copying functions, which see one memory, can read them.
   */
  readonly itemStart: Uint32Array;
}

/** How items are divided among memories. */
export interface PartLimits {
  /** A part with more than one item. */
  readonly partBytes: number;
  /** A part with one item. At most MAX_MEMORY_BYTES. */
  readonly memoryBytes: number;
}

const START_BYTES = Uint32Array.BYTES_PER_ELEMENT;
/** A memory addresses 4 GiB; the last page is for the starts of its items. */
export const MAX_MEMORY_BYTES = 2 ** 32 - 64 * 1024;
export const DEFAULT_PART_BYTES = 2 ** 31;

/**
 * Room for items of these lengths; at least one part, even without items. Requires: each fits in a memory,
 * with a word to spare.
 */
export function layItems(itemBytes: Uint32Array, { partBytes }: PartLimits): readonly ItemPart[] {
  const parts: ItemPart[] = [];
  let first = 0;
  // An item keeps its offset modulo a word in whatever part it is, because answers pad an item to its
  // alignment: so they have the same bytes however items are divided.
  let start = 0;
  do {
    let end = start;
    let last = first;
    while (last < itemBytes.length && (last === first || end + itemBytes[last] <= partBytes)) {
      end += itemBytes[last++];
    }
    parts.push(layPart(itemBytes.subarray(first, last), first, start, end));
    first = last;
    start = end % WORD_BYTES;
  } while (first < itemBytes.length);
  return parts;
}

function layPart(itemBytes: Uint32Array, firstOrdinal: number, start: number, end: number): ItemPart {
  const count = itemBytes.length;
  const startsAt = Math.ceil(end / START_BYTES) * START_BYTES;
  const memory = allocateShared(startsAt + (count + 1) * START_BYTES);
  const itemStart = new Uint32Array(memory.buffer, startsAt, count + 1);
  let at = start;
  for (let i = 0; i < count; i++) {
    itemStart[i] = at;
    at += itemBytes[i];
  }
  itemStart[count] = at;
  return { memory, bytes: new Uint8Array(memory.buffer, 0, end), firstOrdinal, itemStart };
}
