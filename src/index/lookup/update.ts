// The version to update to: of the versions named in a product's data (as a bound or a fix), the lowest that
// is not below a given one and to which no published advisory applies. The compiler has chosen the versions
// to which none applies and stored them by group, in version order. Placeholders are among them, because
// bounds are, and are passed over here.

import { versionText } from '../column-texts.ts';
import type { IndexColumns } from '../columns.ts';
import { compareBytes } from '../memory/bytes.ts';
import { isPlaceholder } from '../versions/placeholder.ts';
import { compareKeys, type VersionScheme, versionKey } from '../versions/version-key.ts';
import { any, type Located, type Segment } from './locate.ts';
import { partitionPoint } from './search.ts';

/**
 * The version to update to from a place, as a row; undefined when there is none, or nothing applies at the
 * place.
 */
export function findUpdate(columns: IndexColumns, place: Located): number | undefined {
  if (place.kind === 'nowhere' || !any(columns, place)) return undefined;
  if (place.kind === 'segment') return firstClear(columns, place);
  let found: number | undefined;
  for (const segment of place.segments) {
    if (segment.isLiteral) continue; // nothing is above it, nor below
    const row = firstClear(columns, segment);
    if (row !== undefined) found = found === undefined ? row : lower(columns, place.scheme, found, row);
  }
  return found;
}

/** The lowest of the group's clear versions that is not below the segment's key. */
function firstClear(columns: IndexColumns, { group, key, keyLength }: Segment): number | undefined {
  if (group < 0) return undefined; // every version is affected
  const { groupClearStart, clearVersion, versionKeyStart, versionKey } = columns;
  const last = groupClearStart[group + 1];
  const reached = partitionPoint(groupClearStart[group], last, (i) => {
    const row = clearVersion[i];
    const start = versionKeyStart[row];
    return compareBytes(versionKey, start, versionKeyStart[row + 1], key, 0, keyLength) >= 0;
  });
  return publishedFrom(columns, reached, last);
}

/** The first of the clear versions [first, last) that somebody may have published. */
function publishedFrom(columns: IndexColumns, first: number, last: number): number | undefined {
  for (let i = first; i < last; i++) {
    const row = columns.clearVersion[i];
    if (!isPlaceholder(versionText(columns, row))) return row;
  }
  return undefined;
}

/**
 * Of all clear versions of a product, the lowest under the scheme, as a row; undefined when there is none.
 */
export function findLowestClear(
  columns: IndexColumns,
  product: number,
  scheme: VersionScheme,
): number | undefined {
  const { productGroupStart, groupClearStart } = columns;
  let found: number | undefined;
  for (let group = productGroupStart[product]; group < productGroupStart[product + 1]; group++) {
    const row = publishedFrom(columns, groupClearStart[group], groupClearStart[group + 1]);
    if (row === undefined) continue;
    found = found === undefined ? row : lower(columns, scheme, found, row);
  }
  return found;
}

/** Which of two versions is lower under the scheme; the first when it does not order both. */
function lower(columns: IndexColumns, scheme: VersionScheme, a: number, b: number): number {
  const keyA = versionKey(scheme, versionText(columns, a));
  const keyB = versionKey(scheme, versionText(columns, b));
  return keyA === undefined || keyB === undefined || compareKeys(keyA, keyB) <= 0 ? a : b;
}
