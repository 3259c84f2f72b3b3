// The table of product types, and with it that of platforms (platforms.ts). Whatever differs between
// ecosystems is in a row of these or of SCHEME_TABLE (versions/version-key.ts); no other code asks which
// ecosystem it deals with. How names are spelled is product-folds.ts's, how versions are ordered that of
// versions/: the console reads this file in browsers. docs/recipes.md says how to add one.

import { PLATFORM_TABLE, PLATFORMS, type Platform } from './platforms.ts';
import {
  anyCase,
  anyDash,
  asPublished,
  dashes,
  goStandardLibrary,
  type LooseFold,
  lowerCase,
  mavenCoordinate,
  pep503,
  type SlugFold,
  underscores,
} from './product-folds.ts';
import type { VersionScheme } from './versions/version-key.ts';

export { type Ecosystem, PLATFORM_TABLE, PLATFORMS, type Platform, type PlatformFacts } from './platforms.ts';
export { asPublished, lowerCase, type SlugFold } from './product-folds.ts';

/**
 * The slashes that a name may have, written plainly in a path: none, one after a scope `@scope/name`, one
 * between two parts, or any number.
 */
export type NameSlashes = 'none' | 'scope' | 'pair' | 'any';

interface ProductTypeShape {
  readonly name: string;
  readonly platform: Platform;
  /** The scheme of an advisory that names none, and of a version of an unknown product. */
  readonly scheme: VersionScheme;
  /** Whether an advisory may name another scheme. */
  readonly allowsOtherSchemes: boolean;
  /** Slugs are stored in the first form; a name is looked up in each form, in turn. */
  readonly slugFolds: readonly [SlugFold, ...SlugFold[]];
  /** By which a name that no form finds is looked up: it means the only product that folds alike. */
  readonly looseFold: LooseFold | null;
  readonly nameSlashes: NameSlashes;
  /** Whether a product's name is a title, and not its slug as published. */
  readonly hasTitles: boolean;
  /** Which of the texts that the scheme orders may be asked about (version-of-type.ts); null if each may. */
  readonly grammar: 'strict-semver' | 'not-any' | null;
  /**
   * Whether a text that is no version may be asked about: it gets what affects every version or lists the
   * text itself (versions/literal-version.ts), and otherwise an error.
   */
  readonly takesLiterals: boolean;
  /** Whether the tool takes only versions that begin with `v`, which the data leave out. */
  readonly takesV: boolean;
  /** The type as people write it. */
  readonly label: string;
}

const wordpress = {
  platform: 'wordpress',
  scheme: 'wordpress',
  allowsOtherSchemes: true,
  slugFolds: [lowerCase],
  looseFold: null,
  nameSlashes: 'none',
  hasTitles: true,
  grammar: null,
  takesLiterals: false, // any text is a version
  takesV: false,
} as const;

const packages = {
  allowsOtherSchemes: false,
  looseFold: null,
  nameSlashes: 'none',
  hasTitles: false,
  grammar: null,
  takesLiterals: true,
  takesV: false,
} as const;

/** The position in this table is the type's code in a snapshot: docs/snapshot-format.md. Append only. */
const PRODUCT_TYPE_ROWS = [
  { ...wordpress, name: 'plugin', label: 'Plugin' },
  { ...wordpress, name: 'theme', label: 'Theme' },
  { ...wordpress, name: 'wordpress', label: 'WordPress' },
  {
    ...packages,
    name: 'npm',
    platform: 'npm',
    scheme: 'semver',
    slugFolds: [asPublished, lowerCase], // names that differ only in case are different packages
    nameSlashes: 'scope',
    takesLiterals: false, // the interface refuses what is no version, whatever the package
    label: 'npm',
  },
  {
    ...packages,
    name: 'composer',
    platform: 'composer',
    scheme: 'composer',
    slugFolds: [lowerCase],
    nameSlashes: 'pair',
    label: 'Composer',
  },
  {
    ...packages,
    name: 'pypi',
    platform: 'pypi',
    scheme: 'pep440',
    slugFolds: [pep503],
    label: 'PyPI',
  },
  {
    ...packages,
    name: 'golang',
    platform: 'golang',
    scheme: 'golang',
    slugFolds: [asPublished, goStandardLibrary],
    looseFold: anyCase, // other tools write purls in lower case
    nameSlashes: 'any',
    takesV: true,
    label: 'Go',
  },
  {
    ...packages,
    name: 'gem',
    platform: 'gem',
    scheme: 'gem',
    slugFolds: [asPublished, lowerCase],
    label: 'RubyGems',
  },
  {
    ...packages,
    name: 'cargo',
    platform: 'cargo',
    scheme: 'semver',
    slugFolds: [asPublished, dashes, underscores],
    looseFold: anyDash, // a crate may have both
    grammar: 'strict-semver',
    label: 'Cargo',
  },
  {
    ...packages,
    name: 'maven',
    platform: 'maven',
    scheme: 'maven',
    slugFolds: [mavenCoordinate],
    nameSlashes: 'pair',
    grammar: 'not-any', // the scheme orders any text, but `*` asks for any version
    label: 'Maven',
  },
  {
    ...packages,
    name: 'nuget',
    platform: 'nuget',
    scheme: 'nuget',
    slugFolds: [lowerCase],
    label: 'NuGet',
  },
] as const satisfies readonly ProductTypeShape[];

export type ProductType = (typeof PRODUCT_TYPE_ROWS)[number]['name'];
export const PRODUCT_TYPES: readonly ProductType[] = PRODUCT_TYPE_ROWS.map(({ name }) => name);

export function isProductType(text: unknown): text is ProductType {
  return (PRODUCT_TYPES as readonly unknown[]).includes(text);
}

export interface ProductTypeFacts extends ProductTypeShape {
  readonly name: ProductType;
  /** The type's code in a snapshot. */
  readonly code: number;
  /** The code of its platform, which is the run of its published advisories. */
  readonly run: number;
  readonly titlePrefix: string;
  /** A product of the type, as in a message: with its article. */
  readonly phrase: string;
}

/** The facts about each product type, by its code. */
export const PRODUCT_TYPE_TABLE: readonly ProductTypeFacts[] = PRODUCT_TYPE_ROWS.map((row, code) => {
  const run = PLATFORMS.indexOf(row.platform);
  const { titlePrefix } = PLATFORM_TABLE[run];
  const article = row.name === 'npm' ? 'an' : 'a'; // as it is said
  return { ...row, code, run, titlePrefix, phrase: `${article} ${row.name} product` };
});

export function productTypeFacts(type: ProductType): ProductTypeFacts {
  return PRODUCT_TYPE_TABLE[PRODUCT_TYPES.indexOf(type)];
}

/** Of Go itself, whose versions have no `v`: the only ones without a path. */
const NOT_A_MODULE = /^[^./]*$/;

/** A version of the data as the type's own tool takes it: `go get` wants `v1.2.3`. */
export function versionForTool(type: ProductType, name: string, version: string): string {
  const needsV = productTypeFacts(type).takesV && /^\d/.test(version) && !NOT_A_MODULE.test(name);
  return needsV ? `v${version}` : version;
}

/** Whether products of the type may have advisories under the scheme. */
export function allowsScheme(type: ProductTypeFacts, scheme: VersionScheme): boolean {
  return type.allowsOtherSchemes || scheme === type.scheme;
}

/** The slug under which a product of this name is stored. */
export function storedSlug(type: ProductType, name: string): string {
  return productTypeFacts(type).slugFolds[0](name);
}

/** How the source of a product spells its slug, as far as the product's name tells. */
export function publishedName(type: ProductTypeFacts, slug: string, name: string): string {
  return !type.hasTitles && name !== slug && type.slugFolds[0](name) === slug ? name : slug;
}
