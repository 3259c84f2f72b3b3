// yarn.lock of yarn 2 and later: YAML with the ranges as keys and `resolution: "name@npm:1.0.0"` as the value
// that counts.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { refuseOrigin, splitAt } from './origin.ts';

const KNOWN = 8; // of __metadata

export function readYarnBerry(documents: readonly unknown[]): Inventory {
  const lock = membersOf(documents[0]);
  const version = textOf(member(membersOf(member(lock, '__metadata')), 'version'));
  if (lock === undefined || version === undefined) {
    throw new Refusal('This looks like a yarn.lock, but the version in its __metadata is missing.');
  }
  const builder = new InventoryBuilder();
  if (!(Number(version) <= KNOWN)) {
    builder.remarkNewer(version, KNOWN);
  }
  const declared = declaredRanges(lock);
  for (const [key, value] of Object.entries(lock)) {
    if (key === '__metadata') continue;
    const entry = membersOf(value);
    const resolution = splitAt(textOf(member(entry, 'resolution')) ?? '');
    if (resolution === undefined) {
      builder.leaveOut('no resolution', key);
      continue;
    }
    const { name, rest } = resolution;
    const reason = /^(?:npm|patch):/.test(rest) ? undefined : refuseOrigin(rest);
    if (reason !== undefined) {
      builder.leaveOut(reason, name);
      continue;
    }
    const descriptors = key.split(/,\s*/);
    const uses = descriptors.flatMap((range) => declared.get(range) ?? []);
    const ranges = descriptors.map((descriptor) => splitAt(descriptor)?.rest ?? '');
    const found = { type: 'npm', name, version: textOf(member(entry, 'version')), ranges } as const;
    if (uses.length === 0) builder.add({ ...found, direct: false });
    for (const { alias, place } of uses) {
      const declarations = [{ alias, workspace: place === '.' ? '' : place }];
      builder.add({ ...found, place, direct: true, declarations });
    }
  }
  return builder.inventory(`yarn.lock, version ${clip(version, 20)}`, 'yarn');
}

interface Use {
  readonly alias: string;
  readonly place: string;
}

/** Who declares a range, by `alias@npm:^1.0.0`. Before yarn 4, workspaces leave out the `npm:`. */
function declaredRanges(lock: Members): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  for (const value of Object.values(lock)) {
    const entry = membersOf(value);
    const workspace = /@workspace:(.*)$/.exec(textOf(member(entry, 'resolution')) ?? '')?.[1];
    if (workspace === undefined) continue;
    for (const [alias, range] of entriesOf(member(entry, 'dependencies'))) {
      const text = textOf(range) ?? '';
      const key = `${alias}@${/^[a-z]+:/.test(text) ? text : `npm:${text}`}`;
      const list = uses.get(key) ?? [];
      list.push({ alias, place: workspace });
      uses.set(key, list);
    }
  }
  return uses;
}
