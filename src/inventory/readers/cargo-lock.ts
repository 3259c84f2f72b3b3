// Cargo.lock, versions 1 to 4: `[[package]]` with a name, a version and a source. Without a source it is a
// crate of the workspace or a folder beside it.

import { type Inventory, InventoryBuilder } from '../inventory.ts';
import { listOf, type Members, member, membersOf, textOf } from '../json.ts';
import { refuseRegistry } from './registries.ts';

const KNOWN = 4;

/** Requires: the members of a Cargo.lock. */
export function readCargoLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  const version = String(member(document, 'version') ?? 1);
  if (!(Number(version) <= KNOWN)) builder.remarkNewer(version, KNOWN);
  const packages = listOf(member(document, 'package')).map(membersOf);
  const needed = new Set(packages.flatMap(dependenciesOf).map((dependency) => dependency.split(' ', 1)[0]));
  const declared = new Set(packages.filter((entry) => sourceOf(entry) === '').flatMap(dependenciesOf));
  for (const entry of packages) {
    const name = textOf(member(entry, 'name')) ?? '';
    const own = textOf(member(entry, 'version'));
    const reason = refuseSource(sourceOf(entry), needed.has(name));
    if (reason !== undefined) builder.leaveOut(reason, name);
    else {
      const direct = declared.has(name) || declared.has(`${name} ${own}`);
      builder.add({ type: 'cargo', name, version: own, direct });
    }
  }
  return builder.inventory(`Cargo.lock, version ${version}`);
}

function sourceOf(entry: Members | undefined): string {
  return textOf(member(entry, 'source')) ?? '';
}

/** `name`, or `name version` where there are several; without the source that may follow. */
function dependenciesOf(entry: Members | undefined): readonly string[] {
  return listOf(member(entry, 'dependencies')).map((value) =>
    (textOf(value) ?? '').split(' ').slice(0, 2).join(' '),
  );
}

function refuseSource(source: string, isNeeded: boolean): string | undefined {
  if (source === '') return isNeeded ? 'a local file or folder' : 'a package of the workspace itself';
  if (source.startsWith('git+')) return 'a git repository';
  return refuseRegistry('cargo', source.replace(/^(?:registry|sparse)\+/, ''));
}
