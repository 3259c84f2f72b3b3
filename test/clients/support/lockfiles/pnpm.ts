// pnpm-lock.yaml, version 9.

import { byName, closureOf, type InventedPackage, keyOf } from '../packages.ts';
import { integrityOf } from '../tarballs.ts';
import { GROUPS, type Tree } from '../trees.ts';

export function pnpmLockfile(tree: Tree): string {
  const required = closureOf([...tree.roots.dependencies, ...tree.roots.devDependencies]);
  const sorted = [...tree.packages].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const lines = [
    "lockfileVersion: '9.0'",
    '',
    'settings:',
    '  autoInstallPeers: true',
    '  excludeLinksFromLockfile: false',
    '',
    'importers:',
    '',
    '  .:',
    ...GROUPS.flatMap((group) => importerLines(group, tree.roots[group])),
    '',
    'packages:',
    ...sorted.flatMap((item) => [
      '',
      `  ${quoted(keyOf(item))}:`,
      `    resolution: {integrity: ${integrityOf(item)}}`,
    ]),
    '',
    'snapshots:',
    ...sorted.flatMap((item) => ['', ...snapshotLines(item, !required.has(item))]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Every text, so that none of them is read as a number. */
const quoted = (text: string): string => `'${text}'`;

function importerLines(group: string, roots: readonly InventedPackage[]): string[] {
  if (roots.length === 0) return [];
  return [
    `    ${group}:`,
    ...byName(roots).flatMap(({ name, version }) => [
      `      ${quoted(name)}:`,
      `        specifier: ${quoted(version)}`,
      `        version: ${quoted(version)}`,
    ]),
  ];
}

function snapshotLines(item: InventedPackage, isOptional: boolean): string[] {
  const body = [
    ...(item.dependencies.length > 0 ? ['    dependencies:'] : []),
    ...byName(item.dependencies).map(({ name, version }) => `      ${quoted(name)}: ${quoted(version)}`),
    ...(isOptional ? ['    optional: true'] : []),
  ];
  return body.length === 0 ? [`  ${quoted(keyOf(item))}: {}`] : [`  ${quoted(keyOf(item))}:`, ...body];
}
