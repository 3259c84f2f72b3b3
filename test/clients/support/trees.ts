// Invented projects for the client tests: what a package manager would have resolved. Packages with versions,
// several versions of one name, scopes, and dependencies that are only for development or optional. How each
// client writes such a tree down is in lockfiles/.

import { Dice } from '../../../src/generator/dice.ts';
import { closureOf, type InventedPackage, type Packages, versionsByName } from './packages.ts';

export const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
export type Group = (typeof GROUPS)[number];

export interface Tree {
  readonly name: string;
  /** What the project itself asks for. A name is in one group. */
  readonly roots: Readonly<Record<Group, readonly InventedPackage[]>>;
  /** All of them, each once. */
  readonly packages: readonly InventedPackage[];
}

const MIN_PACKAGES = 20;
const MAX_PACKAGES = 60;
const SHARES: readonly Group[] = [
  'dependencies',
  'dependencies',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
];

/** The tree of one seed: 20 packages or more, about 60 at most. */
export function inventTree(published: Packages, seed: number): Tree {
  const dice = new Dice(seed);
  const names = [...published.values()];
  const wanted = dice.whole(MIN_PACKAGES, MAX_PACKAGES);
  const roots = new Map<string, InventedPackage>();
  while (closureOf([...roots.values()]).size < wanted) {
    const root = dice.pick(dice.pick(names));
    roots.set(root.name, root);
  }
  const groups: Record<Group, InventedPackage[]> = {
    dependencies: [],
    devDependencies: [],
    optionalDependencies: [],
  };
  for (const root of roots.values()) groups[dice.pick(SHARES)].push(root);
  return { name: `tree-${seed}`, roots: groups, packages: [...closureOf([...roots.values()])] };
}

/** The project's manifest, the same for every client. */
export function manifestOf(tree: Tree): Record<string, unknown> {
  const groups = GROUPS.filter((group) => tree.roots[group].length > 0);
  return {
    name: tree.name,
    version: '1.0.0',
    private: true,
    ...Object.fromEntries(groups.map((group) => [group, versionsByName(tree.roots[group])])),
  };
}

/** The same packages; the project requires those that were optional. */
export function withoutOptional(tree: Tree): Tree {
  const { dependencies, devDependencies, optionalDependencies } = tree.roots;
  const roots = {
    dependencies: [...dependencies, ...optionalDependencies],
    devDependencies,
    optionalDependencies: [],
  };
  return { ...tree, roots };
}
