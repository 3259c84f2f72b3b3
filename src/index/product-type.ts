// The kinds of product there are, the platform each belongs to, and the code each has in a snapshot.

/** Position in this list is the type's code in a snapshot; docs/snapshot-format.md. Append only. */
export const PRODUCT_TYPES = ['plugin', 'theme', 'wordpress', 'npm'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

export const PLATFORMS = ['wordpress', 'npm'] as const;
export type Platform = (typeof PLATFORMS)[number];

export function platformOf(type: ProductType): Platform {
  return type === 'npm' ? 'npm' : 'wordpress';
}
