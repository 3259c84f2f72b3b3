// Whether advisories of two snapshots are about the same product. Its row differs from snapshot to snapshot;
// its type and slug do not.

import { isEqualText } from '../index/column-texts.ts';
import type { IndexColumns } from '../index/columns.ts';

type Products = Pick<IndexColumns, 'advisoryProduct' | 'productType' | 'productSlug' | 'productSlugStart'>;

export function hasSameProduct(
  one: Products,
  ordinal: number,
  other: Products,
  otherOrdinal: number,
): boolean {
  const a = one.advisoryProduct[ordinal];
  const b = other.advisoryProduct[otherOrdinal];
  return (
    one.productType[a] === other.productType[b] &&
    isEqualText(one.productSlug, one.productSlugStart, a, other.productSlug, other.productSlugStart, b)
  );
}
