// deno.lock, version 5, of a project with a package.json.

import { type InventedPackage, keyOf } from '../packages.ts';
import { integrityOf } from '../tarballs.ts';
import { GROUPS, type Tree } from '../trees.ts';

export function denoLockfile(tree: Tree): string {
  const roots = GROUPS.flatMap((group) => tree.roots[group]);
  const requirements = roots.map(({ name, version }) => [`npm:${name}@${version}`, version] as const);
  const lock = {
    version: '5',
    specifiers: Object.fromEntries(requirements),
    npm: Object.fromEntries(tree.packages.map((item) => [keyOf(item), entryOf(tree, item)])),
    workspace: { packageJson: { dependencies: requirements.map(([requirement]) => requirement) } },
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function entryOf({ packages }: Tree, item: InventedPackage): Record<string, unknown> {
  // A name alone stands for its only version.
  const dependencies = item.dependencies.map((child) =>
    packages.filter(({ name }) => name === child.name).length === 1 ? child.name : keyOf(child),
  );
  return { integrity: integrityOf(item), ...(dependencies.length > 0 ? { dependencies } : {}) };
}
