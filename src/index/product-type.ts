// The kinds of product there are, the platform each belongs to, and the code each has in a snapshot.

import { type VersionScheme, versionKey } from './versions/version-key.ts';

/** Position in this list is the type's code in a snapshot; docs/snapshot-format.md. Append only. */
export const PRODUCT_TYPES = ['plugin', 'theme', 'wordpress', 'npm'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

export const PLATFORMS = ['wordpress', 'npm'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The scheme of an advisory that names none, and of a version whose product nobody knows. */
export function defaultSchemeOf(type: ProductType): VersionScheme {
  return type === 'npm' ? 'semver' : 'wordpress';
}

/**
 * Whether a text is a version of the type's products, judged without knowing any of them: for npm what semver can
 * order, for WordPress nearly any text.
 */
export function isVersionOf(type: ProductType, version: string): boolean {
  return versionKey(defaultSchemeOf(type), version) !== undefined;
}

export function platformOf(type: ProductType): Platform {
  return type === 'npm' ? 'npm' : 'wordpress';
}
