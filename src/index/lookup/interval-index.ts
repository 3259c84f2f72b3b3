// The stabbing query: which intervals of a group hold a version. Intervals stand in order of (lo ascending, hi
// descending, span descending), and intervalMaxHi is a balanced tree laid over that order: the middle entry of
// every stretch [first, last) holds the greatest hi of the whole stretch. See docs/decisions/0003.

import type { IndexColumns } from '../columns.ts';
import { compareBytes } from '../memory/bytes.ts';
import type { Matches } from './matches.ts';

/** Position of a version key among a group's bounds, in the numbering of interval.ts. O(log bounds). */
export function positionOf(columns: IndexColumns, group: number, key: Uint8Array, keyLength: number): number {
  const { boundVersion, versionKeyStart, versionKey, groupBoundStart } = columns;
  const start = groupBoundStart[group];
  let lo = start;
  let hi = groupBoundStart[group + 1];
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    const version = boundVersion[mid];
    const order = compareBytes(
      versionKey,
      versionKeyStart[version],
      versionKeyStart[version + 1],
      key,
      0,
      keyLength,
    );
    if (order === 0) return 2 * (mid - start) + 1;
    if (order < 0) lo = mid + 1;
    else hi = mid;
  }
  return 2 * (lo - start);
}

/** Whether any interval of the group holds the position. O(log intervals). */
export function isStabbed(columns: IndexColumns, group: number, position: number): boolean {
  const { intervalLo, intervalHi, intervalMaxHi, groupIntervalStart } = columns;
  let first = groupIntervalStart[group];
  let last = groupIntervalStart[group + 1];
  while (first < last) {
    const mid = (first + last) >>> 1;
    if (intervalMaxHi[mid] < position) return false;
    if (intervalLo[mid] > position) {
      last = mid;
      continue;
    }
    // From here to the left every lo is at most the position, so a hi that reaches it is a hit.
    if (intervalHi[mid] >= position) return true;
    if (first < mid && intervalMaxHi[(first + mid) >>> 1] >= position) return true;
    first = mid + 1;
  }
  return false;
}

/** Adds each interval of [first, last) that holds the position to `matches`, in interval order. */
export function stab(
  columns: IndexColumns,
  first: number,
  last: number,
  position: number,
  matches: Matches,
): void {
  if (first >= last) return;
  const mid = (first + last) >>> 1;
  if (columns.intervalMaxHi[mid] < position) return;
  stab(columns, first, mid, position, matches);
  if (columns.intervalLo[mid] > position) return; // lo ascends: nothing to the right can hold the position
  if (columns.intervalHi[mid] >= position) {
    matches.add(columns.intervalAdvisory[mid], columns.intervalSpan[mid]);
  }
  stab(columns, mid + 1, last, position, matches);
}

/** Fills maxHi[first..last) from hi; returns the greatest hi there, or 0 for none. */
export function layMaxHi(hi: Uint32Array, maxHi: Uint32Array, first: number, last: number): number {
  if (first >= last) return 0;
  const mid = (first + last) >>> 1;
  const left = layMaxHi(hi, maxHi, first, mid);
  const right = layMaxHi(hi, maxHi, mid + 1, last);
  maxHi[mid] = Math.max(hi[mid], left, right);
  return maxHi[mid];
}
