// The stabbing query: which intervals of a group contain a version. Intervals are sorted by (lo ascending, hi
// descending, span descending), and intervalMaxHi is a balanced tree over that order: the middle entry of
// every range [first, last) holds the greatest hi of the whole range. See docs/decisions/0003.

import type { IndexColumns } from '../columns.ts';
import { compareBytes, wordFrom } from '../memory/bytes.ts';
import type { Matches } from './matches.ts';

/** The columns of the bounds, and what is made from them. */
export interface BoundTables {
  readonly columns: IndexColumns;
  /**
   * By bound: the prefix of its key. Bounds of a group lie together here, and their keys do not: a search
   * reads one line of the cache in place of three for each step.
   */
  readonly boundPrefix: Float64Array;
}

/** Of a key, in its prefix. */
const PREFIX_BYTES = 6;

/** In shared memory. Made when a generation is, and never stored. */
export function buildBoundPrefixes({
  boundVersion,
  versionKey,
  versionKeyStart,
}: IndexColumns): Float64Array {
  const prefixes = new Float64Array(new SharedArrayBuffer(boundVersion.length * 8));
  for (let bound = 0; bound < prefixes.length; bound++) {
    const version = boundVersion[bound];
    prefixes[bound] = prefixOf(versionKey, versionKeyStart[version], versionKeyStart[version + 1]);
  }
  return prefixes;
}

/**
 * The first six bytes of a key as a number, zeros for those that it does not have, and below them its length,
 * up to seven: 51 bits, of the 53 that a double has. Of two keys with different prefixes, the one with the
 * lower prefix is the lower; of two with the same, they are equal or both have more bytes, as 1 in 100 has.
 */
function prefixOf(bytes: Uint8Array, start: number, end: number): number {
  const high = wordFrom(bytes, start, end);
  const low = wordFrom(bytes, start + 4, end) >>> 16;
  return high * 2 ** 19 + low * 8 + Math.min(end - start, PREFIX_BYTES + 1);
}

/** Position of a version key among a group's bounds [start, end), numbered in interval.ts. O(log bounds). */
export function positionOf(
  { columns, boundPrefix }: BoundTables,
  start: number,
  end: number,
  key: Uint8Array,
  keyLength: number,
): number {
  const prefix = prefixOf(key, 0, keyLength);
  let lo = start;
  let hi = end;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    let order = boundPrefix[mid] - prefix;
    if (order === 0 && keyLength > PREFIX_BYTES) order = compareBound(columns, mid, key, keyLength);
    if (order === 0) return 2 * (mid - start) + 1;
    if (order < 0) lo = mid + 1;
    else hi = mid;
  }
  return 2 * (lo - start);
}

/** Sign of the order of a bound's key and another key. */
function compareBound(columns: IndexColumns, bound: number, key: Uint8Array, keyLength: number): number {
  const { boundVersion, versionKey, versionKeyStart } = columns;
  const version = boundVersion[bound];
  return compareBytes(versionKey, versionKeyStart[version], versionKeyStart[version + 1], key, 0, keyLength);
}

/** Whether any interval of a group's [start, end) contains the position. O(log intervals). */
export function isStabbed(columns: IndexColumns, start: number, end: number, position: number): boolean {
  const { intervalLo, intervalHi, intervalMaxHi } = columns;
  let first = start;
  let last = end;
  while (first < last) {
    const mid = (first + last) >>> 1;
    // Of a single interval it is the hi, and in memory it lies elsewhere. Most groups have one interval.
    if (last - first > 1 && intervalMaxHi[mid] < position) return false;
    if (intervalLo[mid] > position) {
      last = mid;
      continue;
    }
    // Every lo from here to the left is at most the position, so any hi that reaches it is a hit.
    if (intervalHi[mid] >= position) return true;
    if (first < mid && intervalMaxHi[(first + mid) >>> 1] >= position) return true;
    first = mid + 1;
  }
  return false;
}

/** Adds each interval of [first, last) that contains the position to `matches`, in interval order. */
export function stab(
  columns: IndexColumns,
  first: number,
  last: number,
  position: number,
  matches: Matches,
): void {
  if (first >= last) return;
  const mid = (first + last) >>> 1;
  if (last - first > 1 && columns.intervalMaxHi[mid] < position) return;
  stab(columns, first, mid, position, matches);
  if (columns.intervalLo[mid] > position) return; // lo ascends: nothing to the right can contain it
  if (columns.intervalHi[mid] >= position) {
    matches.add(columns.intervalAdvisory[mid], columns.intervalSpan[mid]);
  }
  stab(columns, mid + 1, last, position, matches);
}

/** Fills maxHi[first..last) from hi; returns the greatest hi there, or 0 if the range is empty. */
export function layMaxHi(hi: Uint32Array, maxHi: Uint32Array, first: number, last: number): number {
  if (first >= last) return 0;
  const mid = (first + last) >>> 1;
  const left = layMaxHi(hi, maxHi, first, mid);
  const right = layMaxHi(hi, maxHi, mid + 1, last);
  maxHi[mid] = Math.max(hi[mid], left, right);
  return maxHi[mid];
}
