// The areas in which one thread assembles pages of items: one in the memory of each part, because memory is
// copied fast only inside one memory.

import { OwnArea } from '../memory/own-area.ts';
import type { ItemPart } from './item-parts.ts';
import { type PreparedItems, partIndexOf } from './prepared-items.ts';

/** Ten times a page of 500 items (about 420 KB); longer answers take the slower path. */
const AREA_BYTES = 4 << 20;

/** An area, and the part it belongs to. */
export interface PartArea {
  readonly area: OwnArea;
  readonly part: ItemPart;
  /** What the area holds, if that is a whole page. */
  page: JoinedPage | undefined;
}

interface JoinedPage {
  /** The ordinals of its items. */
  readonly start: number;
  readonly end: number;
  readonly withDetails: boolean;
  /** Bytes before and after the items. */
  readonly before: number;
  readonly after: number;
}

/**
 * One thread's areas of each generation's items: an area is never freed, so returning to a generation must
 * not take another.
 */
const taken = new WeakMap<PreparedItems, ItemAreas>();

/** This thread's areas for a generation's items. */
export function areasOf(items: PreparedItems): ItemAreas {
  const known = taken.get(items) ?? new ItemAreas(items);
  taken.set(items, known);
  return known;
}

export class ItemAreas {
  readonly #items: PreparedItems;
  /** By part; null where there was no space. Taken on first use. */
  readonly #areas: (PartArea | null | undefined)[];

  constructor(items: PreparedItems) {
    this.#items = items;
    this.#areas = items.parts.map(() => undefined);
  }

  /**
   * The area for consecutive items; undefined when they are in several parts, or when there was no space for
   * an area.
   */
  find(first: number, last: number): PartArea | undefined {
    const index = partIndexOf(this.#items.parts, first);
    const part = this.#items.parts[index];
    if (last > part.firstOrdinal + part.itemStart.length - 1) return undefined;
    const known = this.#areas[index];
    if (known !== undefined) return known ?? undefined;
    const area = OwnArea.take(part.memory, AREA_BYTES);
    const taken = area === undefined ? null : { area, part, page: undefined };
    this.#areas[index] = taken;
    return taken ?? undefined;
  }
}
