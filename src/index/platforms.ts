// The table of platforms: what OSV and package URLs call each. A file of its own, since an inventory needs no
// more to tell what an SBOM is about, in browsers too.

import {
  asPublished,
  lowerCase,
  mavenCoordinate,
  mavenPath,
  pep503,
  type SlugFold,
} from './product-folds.ts';

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
  /**
   * The letters of ids of databases that publish records of its packages beside GitHub's, whose own ids begin
   * an advisory.
   */
  readonly databases: readonly string[];
  /**
   * Whether `ecosystem_specific` of its OSV records is kept, because clients decide by it. Of all others it
   * would only take room.
   */
  readonly keepsSpecifics: boolean;
  readonly purlType: string;
  /** A package's name as a purl writes it after the type; null if the type is not a registered one. */
  readonly purlName: SlugFold | null;
  /** The name of a package from how a purl writes it. */
  readonly nameOfPurl: SlugFold;
}

const platform = {
  titlePrefix: '',
  hasRepositories: false,
  rangeType: 'ECOSYSTEM',
  databases: [],
  keepsSpecifics: false,
  purlName: asPublished,
  nameOfPurl: asPublished,
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
  {
    ...platform,
    name: 'pypi',
    ecosystem: 'PyPI',
    databases: ['PYSEC'],
    purlType: 'pypi',
    purlName: pep503,
  },
  {
    ...platform,
    name: 'golang',
    ecosystem: 'Go',
    rangeType: 'SEMVER',
    databases: ['GO'],
    keepsSpecifics: true, // the packages and symbols that govulncheck looks for
    purlType: 'golang',
  },
  { ...platform, name: 'gem', ecosystem: 'RubyGems', purlType: 'gem' },
  {
    ...platform,
    name: 'cargo',
    ecosystem: 'crates.io',
    rangeType: 'SEMVER',
    databases: ['RUSTSEC'],
    purlType: 'cargo',
  },
  {
    ...platform,
    name: 'maven',
    ecosystem: 'Maven',
    hasRepositories: true,
    purlType: 'maven',
    purlName: mavenPath,
    nameOfPurl: mavenCoordinate,
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
