// NuGet's packages.lock.json: packages by target framework.

import { type Inventory, InventoryBuilder } from '../inventory.ts';
import { entriesOf, type Members, member, membersOf, textOf } from '../json.ts';

const KNOWN = 2;

export function isNugetLock(document: Members): boolean {
  const frameworks = entriesOf(member(document, 'dependencies'));
  return (
    typeof member(document, 'version') === 'number' &&
    membersOf(member(document, 'dependencies')) !== undefined &&
    !Object.hasOwn(document, 'name') &&
    frameworks.every(([, packages]) =>
      entriesOf(packages).every(([, entry]) => textOf(member(membersOf(entry), 'type')) !== undefined),
    )
  );
}

/** Requires: a document that looks like one. */
export function readNugetLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  const version = String(member(document, 'version'));
  if (!(Number(version) <= KNOWN)) builder.remarkNewer(version, KNOWN);
  for (const [framework, packages] of entriesOf(member(document, 'dependencies'))) {
    for (const [name, value] of entriesOf(packages)) {
      const entry = membersOf(value);
      const kind = textOf(member(entry, 'type'));
      if (kind === 'Project') {
        builder.leaveOut('a package of the workspace itself', name);
        continue;
      }
      builder.add({
        type: 'nuget',
        name,
        version: textOf(member(entry, 'resolved')),
        place: framework,
        direct: kind === 'Direct',
      });
    }
  }
  return builder.inventory(`packages.lock.json, version ${version}`);
}
