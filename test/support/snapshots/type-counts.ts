// A number for each product type, of which a test names those that are not 0.

import { PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';

export type TypeCounts = Readonly<Record<ProductType, number>>;

export function typeCounts(counts: Partial<TypeCounts>): TypeCounts {
  const all = PRODUCT_TYPES.map((type) => [type, counts[type] ?? 0] as const);
  return Object.fromEntries(all) as TypeCounts; // one for each type
}
