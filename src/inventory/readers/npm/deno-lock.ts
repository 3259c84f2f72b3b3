// deno.lock, versions 3 to 5: what the project asks for, what that was resolved to, and the packages of npm
// by name and version.
//   "specifiers": { "npm:name@^1.0.0": "1.0.0" }   "npm": { "name@1.0.0_peer@2.0.0": { } }
// Version 3 has both in "packages", and whole names in the values.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { splitAt } from './origin.ts';

const KNOWN = [3, 5] as const;

export function isDenoLock(document: Members): boolean {
  const tables = tablesOf(document);
  return (
    textOf(member(document, 'version')) !== undefined &&
    ['specifiers', 'npm', 'jsr', 'remote'].some((name) => membersOf(member(tables, name)) !== undefined)
  );
}

function tablesOf(document: Members): Members {
  return { ...document, ...membersOf(member(document, 'packages')) };
}

/** Requires: a document that looks like one. */
export function readDenoLock(document: Members): Inventory {
  const version = textOf(member(document, 'version')) ?? '';
  const tables = tablesOf(document);
  const packages = entriesOf(member(tables, 'npm'));
  if (!(Number(version) >= KNOWN[0]) || packages.some(([key]) => splitAt(key) === undefined)) {
    throw new Refusal(
      `This looks like a deno.lock of version ${clip(version, 20)}, whose content is not of a form that is known here. ` +
        `Versions ${KNOWN[0]} to ${KNOWN[1]} are read: \`deno install\` writes one.`,
    );
  }
  const builder = new InventoryBuilder();
  if (Number(version) > KNOWN[1]) {
    builder.remarkNewer(version, KNOWN[1]);
  }
  const declared = declaredKeys(document, tables);
  for (const [key] of packages) {
    const { name = '', rest = '' } = splitAt(key) ?? {};
    const found = { type: 'npm', name, version: rest.replace(/_.*$/, '') } as const; // without peers
    const workspaces = declared?.get(key);
    if (workspaces === undefined) builder.add(declared === undefined ? found : { ...found, direct: false });
    for (const workspace of workspaces ?? []) {
      builder.add({ ...found, place: workspace || '.', direct: true, declarations: [{ workspace }] });
    }
  }
  for (const [key] of entriesOf(member(tables, 'jsr'))) builder.leaveOut('a package of JSR', key);
  for (const [key] of entriesOf(member(document, 'remote'))) builder.leaveOut('a module of a web site', key);
  return builder.inventory(`deno.lock, version ${clip(version, 20)}`, 'deno');
}

/** Who declares a package, by its key; undefined if the file belongs to scripts, which are no project. */
function declaredKeys(
  document: Members,
  tables: Members,
): ReadonlyMap<string, readonly string[]> | undefined {
  const root = membersOf(member(document, 'workspace'));
  if (root === undefined) return undefined;
  const specifiers = membersOf(member(tables, 'specifiers'));
  const keys = new Map<string, string[]>();
  for (const [workspace, value] of [['', root] as const, ...entriesOf(member(root, 'members'))]) {
    const project = membersOf(value);
    const lists = [project, membersOf(member(project, 'packageJson'))];
    for (const specifier of lists.flatMap((list) => listOf(member(list, 'dependencies')))) {
      const wanted = splitAt((textOf(specifier) ?? '').replace(/^npm:/, ''));
      const chosen = textOf(member(specifiers, String(specifier)));
      if (wanted === undefined || chosen === undefined) continue;
      const key = chosen.startsWith('npm:') ? chosen.slice(4) : `${wanted.name}@${chosen}`;
      const list = keys.get(key);
      if (list === undefined) keys.set(key, [workspace]);
      else list.push(workspace);
    }
  }
  return keys;
}
