// The invented packages that the fake registry publishes: their names, versions and dependencies. Which of
// their versions are vulnerable is decided in feed.ts, which of them a project uses in trees.ts.

import semver from 'semver';
import { Dice } from '../../../src/generator/dice.ts';
import { words } from '../../support/words.ts';

export interface PackageId {
  readonly name: string;
  readonly version: string;
}

export interface InventedPackage extends PackageId {
  /** Exact versions, and no name twice. There are no cycles. */
  readonly dependencies: readonly InventedPackage[];
  /** More dependencies, by range. A lockfile that is written here has none. */
  readonly ranges?: Readonly<Record<string, string>>;
  /** What it does when it is loaded. */
  readonly index?: string;
}

/** The published versions of each name, ascending. */
export type Packages = ReadonlyMap<string, readonly InventedPackage[]>;

/**
 * Names of our own endpoints, names that look like numbers, members of JavaScript's objects in lower case.
 * Not `constructor`, on which npm itself fails ("accept field must be a string"), nor `npm`, whose tarball
 * deno asks for at a wrong path below `/npm/`.
 */
const ODD_NAMES = ['hasownproperty', 'valueof', 'all', 'latest', 'batch', '7', '2020', 'a.b', 'x_y'];
const SCOPES = ['@north', '@south-2'];
const WORDS = words('tide reed moss fern clay dune cove peat loam silt mere holt');

export const VULNERABLE_NAMES: readonly string[] = [
  ...ODD_NAMES,
  ...WORDS,
  ...SCOPES.flatMap((scope) => ['constructor', ...WORDS.slice(0, 5)].map((word) => `${scope}/${word}`)),
  ...WORDS.map((word) => `${word}-core`),
];
export const CLEAN_NAMES: readonly string[] = [
  ...WORDS.map((word) => `${word}-utils`),
  ...WORDS.map((word) => `@clean/${word}`),
];

export function inventPackages(seed: number): Packages {
  const dice = new Dice(seed);
  const published = new Map<string, readonly InventedPackage[]>();
  for (const name of shuffled(dice, [...VULNERABLE_NAMES, ...CLEAN_NAMES])) {
    // Only on names that are already there, so that there are no cycles.
    const known = [...published.values()];
    published.set(
      name,
      inventVersions(dice).map((version) => ({ name, version, dependencies: draw(dice, known) })),
    );
  }
  return published;
}

function shuffled(dice: Dice, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, at: dice.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

function draw(dice: Dice, known: readonly (readonly InventedPackage[])[]): InventedPackage[] {
  const count = Math.min(dice.pick([0, 0, 0, 1, 1, 1, 2, 2, 3]), known.length);
  const names = new Set<readonly InventedPackage[]>();
  while (names.size < count) names.add(dice.pick(known));
  return [...names].map((versions) => dice.pick(versions));
}

/** Twelve to twenty, ascending and distinct, in several branches, some of them pre-releases. */
function inventVersions(dice: Dice): string[] {
  const versions = new Set<string>();
  const wanted = dice.whole(12, 20);
  while (versions.size < wanted) {
    const release = `${dice.whole(0, 4)}.${dice.whole(0, 6)}.${dice.whole(0, 12)}`;
    const label = dice.pick(['alpha', 'beta.2', 'beta.11', 'rc.1', '0', 'next-3']);
    versions.add(dice.chance(0.2) ? `${release}-${label}` : release);
  }
  return [...versions].sort(semver.compare);
}

/** The given packages and all that they depend on, directly or not. */
export function closureOf(roots: readonly InventedPackage[]): ReadonlySet<InventedPackage> {
  const seen = new Set(roots);
  // A set's loop also visits what is added during it.
  for (const { dependencies } of seen) for (const child of dependencies) seen.add(child);
  return seen;
}

/** Ascending by code unit. */
export function byName<Named extends Pick<PackageId, 'name'>>(packages: readonly Named[]): Named[] {
  return [...packages].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `{name: version}`, by name, except that names which are whole numbers come first. */
export function versionsByName(packages: readonly PackageId[]): Record<string, string> {
  return Object.fromEntries(byName(packages).map(({ name, version }) => [name, version]));
}

export const keyOf = ({ name, version }: PackageId): string => `${name}@${version}`;
