// poetry.lock: `[[package]]` with a name, a version and, unless it is from PyPI, a source.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip } from '../../refusal.ts';
import { refuseRegistry } from '../registries.ts';

const ORIGINS: Readonly<Record<string, string>> = {
  git: 'a git repository',
  directory: 'a local file or folder',
  file: 'a local file or folder',
  url: 'a file of a web site',
};

/** Requires: the members of a poetry.lock. */
export function readPoetryLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  for (const value of listOf(member(document, 'package'))) {
    const entry = membersOf(value);
    const name = textOf(member(entry, 'name')) ?? '';
    const source = membersOf(member(entry, 'source'));
    const reason = source === undefined ? undefined : refuseSource(source);
    if (reason !== undefined) builder.leaveOut(reason, name);
    else builder.add({ type: 'pypi', name, version: textOf(member(entry, 'version')) });
  }
  const version = textOf(member(membersOf(member(document, 'metadata')), 'lock-version')) ?? 'unknown';
  return builder.inventory(`poetry.lock, version ${clip(version, 20)}`, 'poetry');
}

function refuseSource(source: Members): string | undefined {
  const kind = textOf(member(source, 'type')) ?? '';
  if (Object.hasOwn(ORIGINS, kind)) return ORIGINS[kind];
  return refuseRegistry('pypi', textOf(member(source, 'url')) ?? '');
}
