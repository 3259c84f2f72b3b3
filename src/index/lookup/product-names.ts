// The products of a type whose names begin alike, for suggestions. Products are sorted by (type, slug bytes),
// so those with a common beginning are neighbours, and two binary searches find them.

import type { IndexColumns } from '../columns.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import { partitionPoint } from './search.ts';

const utf8 = new TextEncoder();

/**
 * The rows of the first products whose slug begins with the prefix in one of the type's spellings: WordPress
 * slugs match in any case; npm names as given, or lower-cased. In byte order, which puts capitals first and
 * letters beyond ASCII last. Those with only withdrawn advisories are among them: a lookup knows them too.
 */
export function productsNamedLike(
  columns: IndexColumns,
  { code, slugFolds }: ProductTypeFacts,
  prefix: string,
  limit: number,
): readonly number[] {
  const stretches = [...new Set(slugFolds.map((fold) => fold(prefix)))]
    .map((folded) => stretchOf(columns, code, utf8.encode(folded)))
    .sort((a, b) => a.start - b.start);
  const rows: number[] = [];
  let next = 0; // one stretch may be part of another
  for (const { start, end } of stretches) {
    for (let row = Math.max(start, next); row < end && rows.length < limit; row++) rows.push(row);
    next = Math.max(next, end);
  }
  return rows;
}

/** The rows [start, end) of the type whose slugs begin with these bytes. */
function stretchOf(
  columns: IndexColumns,
  typeCode: number,
  prefix: Uint8Array,
): { readonly start: number; readonly end: number } {
  const { productType } = columns;
  const count = productType.length;
  const order = (row: number): number =>
    productType[row] - typeCode || compareBeginning(columns, row, prefix);
  const start = partitionPoint(0, count, (row) => order(row) >= 0);
  return { start, end: partitionPoint(start, count, (row) => order(row) > 0) };
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
