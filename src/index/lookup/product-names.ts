// The products of a type whose names begin alike, for suggestions. Products are sorted by (type, slug bytes),
// so those with a common beginning are neighbours, and two binary searches find them.

import type { IndexColumns } from '../columns.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import { partitionPoint } from './search.ts';

const utf8 = new TextEncoder();

/** A prefix of one letter may begin a hundred thousand names; the work for a keystroke has to be small. */
export const MOST_NAMES_READ = 5_000;

/**
 * The rows of products whose slug begins with the prefix in one of the type's spellings: WordPress slugs
 * match in any case; npm names as given, or lower-cased. The one that is the prefix first, then those with
 * the most published advisories, then in byte order, which puts capitals first and letters beyond ASCII last.
 * Those with only withdrawn advisories are among them: a lookup knows them too. Of more than MOST_NAMES_READ
 * names, the first in byte order are considered.
 */
export function productsNamedLike(
  columns: IndexColumns,
  { code, slugFolds }: ProductTypeFacts,
  prefix: string,
  limit: number,
): readonly number[] {
  const { productAdvisoryStart, productSlugStart } = columns;
  const stretches = [...new Set(slugFolds.map((fold) => fold(prefix)))]
    .map((folded) => stretchOf(columns, code, utf8.encode(folded)))
    .sort((a, b) => a.start - b.start);
  /** Of each row: what puts it before others. */
  const rankOf = (row: number, prefixBytes: number): number =>
    productSlugStart[row + 1] - productSlugStart[row] === prefixBytes
      ? Number.POSITIVE_INFINITY
      : productAdvisoryStart[row + 1] - productAdvisoryStart[row];
  const best: { readonly row: number; readonly rank: number }[] = [];
  let left = MOST_NAMES_READ;
  let next = 0; // one stretch may be part of another
  for (const { start, end, prefixBytes } of stretches) {
    for (let row = Math.max(start, next); row < end && left > 0; row++, left--) {
      const rank = rankOf(row, prefixBytes);
      if (best.length === limit && best[limit - 1].rank >= rank) continue;
      const after = best.findIndex((each) => each.rank < rank);
      best.splice(after < 0 ? best.length : after, 0, { row, rank });
      if (best.length > limit) best.pop();
    }
    next = Math.max(next, end);
  }
  return best.map(({ row }) => row);
}

/** The rows [start, end) of the type whose slugs begin with these bytes. */
function stretchOf(
  columns: IndexColumns,
  typeCode: number,
  prefix: Uint8Array,
): { readonly start: number; readonly end: number; readonly prefixBytes: number } {
  const { productType } = columns;
  const count = productType.length;
  const order = (row: number): number =>
    productType[row] - typeCode || compareBeginning(columns, row, prefix);
  const start = partitionPoint(0, count, (row) => order(row) >= 0);
  const end = partitionPoint(start, count, (row) => order(row) > 0);
  return { start, end, prefixBytes: prefix.length };
}

/** Sign of a slug against a prefix; 0 if it begins with it. */
function compareBeginning(
  { productSlug, productSlugStart }: IndexColumns,
  row: number,
  prefix: Uint8Array,
): number {
  const start = productSlugStart[row];
  const length = productSlugStart[row + 1] - start;
  for (let i = 0; i < prefix.length; i++) {
    if (i === length) return -1;
    const difference = productSlug[start + i] - prefix[i];
    if (difference !== 0) return difference;
  }
  return 0;
}
