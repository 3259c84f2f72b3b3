// Pipfile.lock: packages by category, each with a pin `==1.0` or the place of its code.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { refuseRegistry } from '../registries.ts';
import { exactVersion } from './requirement.ts';

const CODE = ['git', 'hg', 'svn', 'bzr'];
const FILES = ['path', 'file'];

export function isPipfileLock(document: Members): boolean {
  const meta = membersOf(member(document, '_meta'));
  return meta !== undefined && Object.hasOwn(meta, 'pipfile-spec');
}

/** Requires: a document that looks like one. */
export function readPipfileLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  const meta = membersOf(member(document, '_meta'));
  const sources = listOf(member(meta, 'sources')).map(membersOf);
  const addresses = new Map(
    sources.map((source) => [member(source, 'name'), textOf(member(source, 'url')) ?? '']),
  );
  const usual = sources.length === 0 ? undefined : textOf(member(sources[0], 'url'));
  for (const [category, packages] of Object.entries(document)) {
    if (category === '_meta') continue;
    for (const [name, value] of entriesOf(packages)) {
      const entry = membersOf(value);
      const address = addresses.get(member(entry, 'index')) ?? usual;
      const reason =
        refuseOrigin(entry) ?? (address === undefined ? undefined : refuseRegistry('pypi', address));
      if (reason !== undefined) builder.leaveOut(reason, name);
      else {
        const version = exactVersion(textOf(member(entry, 'version')) ?? '');
        builder.add({ type: 'pypi', name, version, place: category });
      }
    }
  }
  return builder.inventory('Pipfile.lock', 'pipenv');
}

function refuseOrigin(entry: Members | undefined): string | undefined {
  if (entry === undefined) return undefined;
  if (CODE.some((name) => Object.hasOwn(entry, name))) return 'a git repository';
  return FILES.some((name) => Object.hasOwn(entry, name)) ? 'a local file or folder' : undefined;
}
