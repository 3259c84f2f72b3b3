// The tables of platforms and product types. Whatever differs between ecosystems is in a row here or in a row
// of SCHEME_TABLE (versions/version-key.ts); no other code asks which ecosystem it deals with.
// docs/recipes.md says how to add one.

import { isStrictScheme, type VersionScheme, versionKey } from './versions/version-key.ts';

interface PlatformShape {
  readonly name: string;
  /** Precedes every title of the platform, exactly once; '' for none. */
  readonly titlePrefix: string;
}

/** The position in this table is the platform's run in a snapshot: docs/snapshot-format.md. Append only. */
const PLATFORM_ROWS = [
  { name: 'wordpress', titlePrefix: '' },
  { name: 'npm', titlePrefix: 'NPM: ' },
] as const satisfies readonly PlatformShape[];

export type Platform = (typeof PLATFORM_ROWS)[number]['name'];
export const PLATFORMS: readonly Platform[] = PLATFORM_ROWS.map(({ name }) => name);

/** Turns a product's name into a spelling under which it may be stored. */
export type SlugFold = (name: string) => string;

export const asPublished: SlugFold = (name) => name;
export const lowerCase: SlugFold = (name) => name.toLowerCase();

interface ProductTypeShape {
  readonly name: string;
  readonly platform: Platform;
  /** The scheme of an advisory that names none, and of a version of an unknown product. */
  readonly scheme: VersionScheme;
  /** Whether an advisory may name another scheme. */
  readonly allowsOtherSchemes: boolean;
  /** Slugs are stored in the first form; a name is looked up in each form, in turn. */
  readonly slugFolds: readonly [SlugFold, ...SlugFold[]];
  /** Whether a name may consist of two parts, `@scope/name`. */
  readonly hasScopes: boolean;
  /** The type as people write it. */
  readonly label: string;
  /** A product of the type, as in a message: with its article. */
  readonly phrase: string;
}

const wordpress = {
  platform: 'wordpress',
  scheme: 'wordpress',
  allowsOtherSchemes: true,
  slugFolds: [lowerCase],
  hasScopes: false,
} as const;

/** The position in this table is the type's code in a snapshot: docs/snapshot-format.md. Append only. */
const PRODUCT_TYPE_ROWS = [
  { ...wordpress, name: 'plugin', label: 'Plugin', phrase: 'a plugin product' },
  { ...wordpress, name: 'theme', label: 'Theme', phrase: 'a theme product' },
  { ...wordpress, name: 'wordpress', label: 'WordPress', phrase: 'a wordpress product' },
  {
    name: 'npm',
    platform: 'npm',
    scheme: 'semver',
    allowsOtherSchemes: false,
    slugFolds: [asPublished, lowerCase], // names that differ only in case are different packages
    hasScopes: true,
    label: 'npm',
    phrase: 'an npm product',
  },
] as const satisfies readonly ProductTypeShape[];

export type ProductType = (typeof PRODUCT_TYPE_ROWS)[number]['name'];
export const PRODUCT_TYPES: readonly ProductType[] = PRODUCT_TYPE_ROWS.map(({ name }) => name);

export interface ProductTypeFacts extends ProductTypeShape {
  readonly name: ProductType;
  /** The type's code in a snapshot. */
  readonly code: number;
  /** The code of its platform, which is the run of its published advisories. */
  readonly run: number;
  readonly titlePrefix: string;
  /** Whether its scheme has a grammar and refuses other texts. */
  readonly isStrict: boolean;
}

/** The facts about each product type, by its code. */
export const PRODUCT_TYPE_TABLE: readonly ProductTypeFacts[] = PRODUCT_TYPE_ROWS.map((row, code) => {
  const run = PLATFORMS.indexOf(row.platform);
  return {
    ...row,
    code,
    run,
    titlePrefix: PLATFORM_ROWS[run].titlePrefix,
    isStrict: isStrictScheme(row.scheme),
  };
});

export function productTypeFacts(type: ProductType): ProductTypeFacts {
  return PRODUCT_TYPE_TABLE[PRODUCT_TYPES.indexOf(type)];
}

/** Whether products of the type may have advisories under the scheme. */
export function allowsScheme(type: ProductTypeFacts, scheme: VersionScheme): boolean {
  return type.allowsOtherSchemes || scheme === type.scheme;
}

/** The slug under which a product of this name is stored. */
export function storedSlug(type: ProductType, name: string): string {
  return productTypeFacts(type).slugFolds[0](name);
}

/**
 * Whether a text is a version of the type's products, whichever the product: for npm what semver can order,
 * for WordPress nearly any text.
 */
export function isVersionOf(type: ProductType, version: string): boolean {
  return versionKey(productTypeFacts(type).scheme, version) !== undefined;
}
