// Where npm and bun put the packages of a tree: at the top where the name is free, else below the package
// that asks.

import type { InventedPackage } from '../packages.ts';
import { GROUPS, type Tree } from '../trees.ts';

export interface Placed {
  /** Names from the top down to the package's own. */
  readonly path: readonly string[];
  readonly item: InventedPackage;
}

/** Breadth first, so that a package's own dependencies are placed before anything below it is looked up. */
export function placePackages(tree: Tree): Placed[] {
  const placed = new Map<string, Placed>();
  const queue: Placed[] = [];
  const put = (path: readonly string[], item: InventedPackage): void => {
    const place = { path, item };
    placed.set(path.join(SEPARATOR), place);
    queue.push(place);
  };
  for (const group of GROUPS) for (const root of tree.roots[group]) put([root.name], root);
  for (const { path, item } of queue) {
    for (const child of item.dependencies) {
      const found = visibleFrom(placed, path, child.name);
      if (found === undefined) put([child.name], child);
      else if (found !== child) put([...path, child.name], child);
    }
  }
  return queue;
}

const SEPARATOR = '\n'; // not in any name

function visibleFrom(
  placed: ReadonlyMap<string, Placed>,
  path: readonly string[],
  name: string,
): InventedPackage | undefined {
  for (let depth = path.length; depth >= 0; depth--) {
    const found = placed.get([...path.slice(0, depth), name].join(SEPARATOR));
    if (found !== undefined) return found.item;
  }
  return undefined;
}

/** As npm writes it. */
export const lockedPath = ({ path }: Placed): string => path.map((name) => `node_modules/${name}`).join('/');
