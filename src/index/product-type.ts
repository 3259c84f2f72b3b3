// The tables of platforms and product types. Whatever differs between ecosystems is in a row here or in a row
// of SCHEME_TABLE (versions/version-key.ts); no other code asks which ecosystem it deals with. How names
// are spelled is product-folds.ts's. docs/recipes.md says how to add one.

import {
  asPublished,
  dashes,
  lowerCase,
  mavenCoordinate,
  mavenPath,
  mavenProblem,
  pep503,
  type SlugFold,
  underscores,
} from './product-folds.ts';
import { isStrictSemver } from './versions/strict-semver.ts';
import { isStrictScheme, type VersionScheme, versionKey } from './versions/version-key.ts';

export { asPublished, lowerCase, type SlugFold } from './product-folds.ts';

interface PlatformShape {
  readonly name: string;
  /** Precedes every title of the platform, exactly once; '' for none. */
  readonly titlePrefix: string;
  /** What OSV calls it. */
  readonly ecosystem: string;
  /** Whether its name in OSV may go on after a colon, with a repository. */
  readonly hasRepositories: boolean;
  /** The type of OSV's ranges: how their bounds are ordered. */
  readonly rangeType: 'SEMVER' | 'ECOSYSTEM';
  readonly purlType: string;
  /** A package's name as a purl writes it after the type; null if the type is not a registered one. */
  readonly purlName: SlugFold | null;
}

const platform = {
  titlePrefix: '',
  hasRepositories: false,
  rangeType: 'ECOSYSTEM',
  purlName: asPublished,
} as const;

/** The position in this table is the platform's run in a snapshot: docs/snapshot-format.md. Append only. */
const PLATFORM_ROWS = [
  { ...platform, name: 'wordpress', ecosystem: 'WordPress', purlType: 'wordpress', purlName: null },
  {
    ...platform,
    name: 'npm',
    titlePrefix: 'NPM: ',
    ecosystem: 'npm',
    rangeType: 'SEMVER',
    purlType: 'npm',
  },
  {
    ...platform,
    name: 'composer',
    ecosystem: 'Packagist',
    hasRepositories: true,
    purlType: 'composer',
    purlName: lowerCase,
  },
  { ...platform, name: 'pypi', ecosystem: 'PyPI', purlType: 'pypi', purlName: pep503 },
  { ...platform, name: 'golang', ecosystem: 'Go', rangeType: 'SEMVER', purlType: 'golang' },
  { ...platform, name: 'gem', ecosystem: 'RubyGems', purlType: 'gem' },
  { ...platform, name: 'cargo', ecosystem: 'crates.io', rangeType: 'SEMVER', purlType: 'cargo' },
  {
    ...platform,
    name: 'maven',
    ecosystem: 'Maven',
    hasRepositories: true,
    purlType: 'maven',
    purlName: mavenPath,
  },
  { ...platform, name: 'nuget', ecosystem: 'NuGet', purlType: 'nuget' },
] as const satisfies readonly PlatformShape[];

export type Platform = (typeof PLATFORM_ROWS)[number]['name'];
export const PLATFORMS: readonly Platform[] = PLATFORM_ROWS.map(({ name }) => name);
export type Ecosystem = (typeof PLATFORM_ROWS)[number]['ecosystem'];

export interface PlatformFacts extends PlatformShape {
  readonly name: Platform;
  readonly ecosystem: Ecosystem;
}

/** The facts about each platform, by its run. */
export const PLATFORM_TABLE: readonly PlatformFacts[] = PLATFORM_ROWS;

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
  readonly nameSlashes: NameSlashes;
  /** Whether a product's name is a title, and not its slug as published. */
  readonly hasTitles: boolean;
  /** What is wrong with a name in a record of OSV that cannot be one; null if any text can be. */
  readonly nameProblem: ((name: string) => string | undefined) | null;
  /** Whether a text that the scheme orders may be asked about; null if each may. */
  readonly accepts: ((version: string) => boolean) | null;
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
  nameSlashes: 'none',
  hasTitles: true,
  nameProblem: null,
  accepts: null,
} as const;

function isNotAsterisk(version: string): boolean {
  return version !== '*';
}

const packages = {
  allowsOtherSchemes: false,
  nameSlashes: 'none',
  hasTitles: false,
  nameProblem: null,
  accepts: null,
} as const;

/** The position in this table is the type's code in a snapshot: docs/snapshot-format.md. Append only. */
const PRODUCT_TYPE_ROWS = [
  { ...wordpress, name: 'plugin', label: 'Plugin', phrase: 'a plugin product' },
  { ...wordpress, name: 'theme', label: 'Theme', phrase: 'a theme product' },
  { ...wordpress, name: 'wordpress', label: 'WordPress', phrase: 'a wordpress product' },
  {
    ...packages,
    name: 'npm',
    platform: 'npm',
    scheme: 'semver',
    slugFolds: [asPublished, lowerCase], // names that differ only in case are different packages
    nameSlashes: 'scope',
    label: 'npm',
    phrase: 'an npm product',
  },
  {
    ...packages,
    name: 'composer',
    platform: 'composer',
    scheme: 'composer',
    slugFolds: [lowerCase],
    nameSlashes: 'pair',
    label: 'Composer',
    phrase: 'a composer product',
  },
  {
    ...packages,
    name: 'pypi',
    platform: 'pypi',
    scheme: 'pep440',
    slugFolds: [pep503],
    label: 'PyPI',
    phrase: 'a pypi product',
  },
  {
    ...packages,
    name: 'golang',
    platform: 'golang',
    scheme: 'golang',
    slugFolds: [asPublished],
    nameSlashes: 'any',
    label: 'Go',
    phrase: 'a golang product',
  },
  {
    ...packages,
    name: 'gem',
    platform: 'gem',
    scheme: 'gem',
    slugFolds: [asPublished, lowerCase],
    label: 'RubyGems',
    phrase: 'a gem product',
  },
  {
    ...packages,
    name: 'cargo',
    platform: 'cargo',
    scheme: 'semver',
    slugFolds: [asPublished, dashes, underscores],
    accepts: isStrictSemver,
    label: 'Cargo',
    phrase: 'a cargo product',
  },
  {
    ...packages,
    name: 'maven',
    platform: 'maven',
    scheme: 'maven',
    slugFolds: [mavenCoordinate],
    nameSlashes: 'pair',
    nameProblem: mavenProblem,
    accepts: isNotAsterisk, // the scheme orders any text, but this asks for any version
    label: 'Maven',
    phrase: 'a maven product',
  },
  {
    ...packages,
    name: 'nuget',
    platform: 'nuget',
    scheme: 'nuget',
    slugFolds: [lowerCase],
    label: 'NuGet',
    phrase: 'a nuget product',
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
  const { titlePrefix } = PLATFORM_TABLE[run];
  return {
    ...row,
    code,
    run,
    titlePrefix,
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

/** How the source of a product spells its slug, as far as the product's name tells. */
export function publishedName(type: ProductTypeFacts, slug: string, name: string): string {
  return !type.hasTitles && name !== slug && type.slugFolds[0](name) === slug ? name : slug;
}

/**
 * Whether a text is a version of the type's products, whichever the product: for npm what semver can order,
 * for WordPress nearly any text.
 */
export function isVersionOf(type: ProductType, version: string): boolean {
  const { scheme, accepts } = productTypeFacts(type);
  return (accepts === null || accepts(version)) && versionKey(scheme, version) !== undefined;
}
