// What a look-up reads of a product, in one place. The columns that tell it lie far apart, and each costs a
// line of the cache: six here, where a row is one or two. Made when a generation is, and never stored.
//
//     slug | type and scheme | group | bound | interval
//     0      4                 8       12      16      20 bytes
//
// Where the product's slug and its groups begin, and the bounds and intervals of its first group; that one's
// scheme is above the type's eight bits. All but the kinds end where those of the next row begin, for which
// there is one row more.

import type { IndexColumns } from '../columns.ts';

const ROW = 5;
const KINDS = 1;
const GROUP = 2;
const BOUND = 3;
const INTERVAL = 4;
const TYPE_BITS = 8;

/** In shared memory. */
export function buildProductRows({
  productType,
  productSlugStart,
  productGroupStart,
  groupScheme,
  groupBoundStart,
  groupIntervalStart,
}: IndexColumns): Uint32Array {
  const count = productType.length;
  const rows = new Uint32Array(new SharedArrayBuffer((count + 1) * ROW * 4));
  for (let product = 0; product <= count; product++) {
    const at = product * ROW;
    const group = productGroupStart[product];
    rows[at] = productSlugStart[product];
    // Behind the last of each there is nothing, which is stored as 0.
    rows[at + KINDS] = productType[product] | (groupScheme[group] << TYPE_BITS);
    rows[at + GROUP] = group;
    rows[at + BOUND] = groupBoundStart[group];
    rows[at + INTERVAL] = groupIntervalStart[group];
  }
  return rows;
}

/** Its code. */
export function typeIn(rows: Uint32Array, product: number): number {
  return rows[product * ROW + KINDS] & ((1 << TYPE_BITS) - 1);
}

export function slugStartIn(rows: Uint32Array, product: number): number {
  return rows[product * ROW];
}

export function groupStartIn(rows: Uint32Array, product: number): number {
  return rows[product * ROW + GROUP];
}

/** A group of a product, as a look-up needs it. */
export interface GroupPlace {
  group: number;
  /** Its code. */
  scheme: number;
  boundStart: number;
  boundEnd: number;
  intervalStart: number;
  intervalEnd: number;
}

/** Fills `place`: from the product's row if it has one group, as nearly all have, else from the columns. */
export function readGroup(
  columns: IndexColumns,
  rows: Uint32Array,
  product: number,
  group: number,
  place: GroupPlace,
): void {
  const at = product * ROW;
  const next = at + ROW;
  place.group = group;
  if (rows[next + GROUP] - rows[at + GROUP] === 1) {
    place.scheme = rows[at + KINDS] >>> TYPE_BITS;
    place.boundStart = rows[at + BOUND];
    place.boundEnd = rows[next + BOUND];
    place.intervalStart = rows[at + INTERVAL];
    place.intervalEnd = rows[next + INTERVAL];
  } else {
    place.scheme = columns.groupScheme[group];
    place.boundStart = columns.groupBoundStart[group];
    place.boundEnd = columns.groupBoundStart[group + 1];
    place.intervalStart = columns.groupIntervalStart[group];
    place.intervalEnd = columns.groupIntervalStart[group + 1];
  }
}

/** For read-ahead.ts: of a product without groups, this is of those behind it, and so is the interval. */
export function boundStartIn(rows: Uint32Array, product: number): number {
  return rows[product * ROW + BOUND];
}

export function intervalStartIn(rows: Uint32Array, product: number): number {
  return rows[product * ROW + INTERVAL];
}
