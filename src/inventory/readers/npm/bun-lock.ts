// bun.lock: JSON with commas at the end of lists, which the reader of YAML takes. Its table of packages is
// npm's, in another form, and is read as that:
//   "name", "above/name"   "name@1.0.0", registry, { dependencies }, checksum
//   other origins          "name@github:owner/name#0123abc", { dependencies }

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { FOLDER, readTable } from './npm-lock.ts';
import { splitAt } from './origin.ts';

const KNOWN = 3;

export function readBunLock(documents: readonly unknown[]): Inventory {
  const lock = membersOf(documents[0]);
  const version = textOf(member(lock, 'lockfileVersion')) ?? '';
  const packages = membersOf(member(lock, 'packages'));
  if (packages === undefined || !Object.values(packages).every((entry) => listOf(entry).length > 0)) {
    throw new Refusal(
      'This looks like a bun.lock, but not of a form that is known here. `bun install --yarn` writes a yarn.lock with the same packages.',
    );
  }
  const builder = new InventoryBuilder();
  if (!(Number(version) <= KNOWN)) {
    builder.remarkNewer(version, KNOWN);
  }
  readTable(tableOf(packages, entriesOf(member(lock, 'workspaces'))), builder);
  return builder.inventory(`bun.lock, version ${clip(version, 20)}`, 'bun');
}

/** The packages as package-lock.json has them: by the folders in which Node would look for them. */
function tableOf(packages: Members, workspaces: readonly (readonly [string, unknown])[]): Members {
  const folders = new Map(
    workspaces.map(([folder, value]) => [textOf(member(membersOf(value), 'name')), folder || undefined]),
  );
  const table: (readonly [string, unknown])[] = [...workspaces];
  for (const [key, value] of Object.entries(packages)) {
    const list = listOf(value);
    const pair = splitAt(textOf(list[0]) ?? '');
    if (pair?.rest.startsWith('workspace:')) continue; // it is among the workspaces
    const [top, ...below] = key.match(/(?:@[^/]*\/)?[^/]+/g) ?? [];
    const start = (below.length > 0 ? folders.get(top) : undefined) ?? FOLDER + top;
    const path = [start, ...below.map((name) => FOLDER + name)].join('/');
    const origin = /^\d/.test(pair?.rest ?? '') ? { version: pair?.rest } : { resolved: pair?.rest };
    table.push([path, { ...list.map(membersOf).find(Boolean), name: pair?.name, ...origin }]);
  }
  return Object.fromEntries(table);
}
