// bun.lock, the text form.

import { keyOf, versionsByName } from '../packages.ts';
import { integrityOf } from '../tarballs.ts';
import { manifestOf, type Tree } from '../trees.ts';
import { placePackages } from './placed.ts';

export function bunLockfile(tree: Tree): string {
  const { private: _, version: __, ...root } = manifestOf(tree);
  const packages = placePackages(tree).map(({ path, item }) => [
    path.join('/'),
    [
      keyOf(item),
      '', // the registry, if not the configured one
      item.dependencies.length > 0 ? { dependencies: versionsByName(item.dependencies) } : {},
      integrityOf(item),
    ],
  ]);
  const lock = { lockfileVersion: 1, workspaces: { '': root }, packages: Object.fromEntries(packages) };
  return `${JSON.stringify(lock, null, 2)}\n`;
}
