// package-lock.json, version 3.

import { closureOf, type InventedPackage, versionsByName } from '../packages.ts';
import { integrityOf, tarballPath } from '../tarballs.ts';
import { manifestOf, type Tree } from '../trees.ts';
import { lockedPath, placePackages } from './placed.ts';

/** `registry` is the base URL, with a slash at its end. */
export function npmLockfile(tree: Tree, registry: string): string {
  const flagsOf = flags(tree);
  const packages = placePackages(tree).map((place) => {
    const { item } = place;
    return [
      lockedPath(place),
      {
        version: item.version,
        resolved: `${registry}${tarballPath(item)}`,
        integrity: integrityOf(item),
        ...flagsOf(item),
        ...(item.dependencies.length > 0 ? { dependencies: versionsByName(item.dependencies) } : {}),
      },
    ];
  });
  const { private: _, ...root } = manifestOf(tree);
  const lock = {
    name: tree.name,
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function flags({ roots }: Tree): (item: InventedPackage) => Record<string, boolean> {
  const inProduction = closureOf(roots.dependencies);
  const inDevelopment = closureOf(roots.devDependencies);
  const asOption = closureOf(roots.optionalDependencies);
  return (item) => {
    if (inProduction.has(item)) return {};
    if (inDevelopment.has(item) && asOption.has(item)) return { devOptional: true };
    return inDevelopment.has(item) ? { dev: true } : { optional: true };
  };
}
