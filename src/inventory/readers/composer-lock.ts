// composer.lock: what is installed, apart from what is for development only. A package of a repository that
// speaks Composer's protocol has an address to notify; one of a repository of code or a folder has none.

import { type Inventory, InventoryBuilder } from '../inventory.ts';
import { listOf, type Members, member, membersOf, textOf } from '../json.ts';
import { purlPackage } from '../purl.ts';
import { refuseRegistry } from './registries.ts';

const GROUPS = ['packages', 'packages-dev'];

export function isComposerLock(document: Members): boolean {
  return (
    Array.isArray(member(document, 'packages')) &&
    ['content-hash', 'packages-dev', 'minimum-stability'].some((name) => Object.hasOwn(document, name))
  );
}

/** Requires: a document that looks like one. */
export function readComposerLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  for (const group of GROUPS) {
    for (const value of listOf(member(document, group))) {
      const entry = membersOf(value);
      const name = textOf(member(entry, 'name')) ?? '';
      const reason = refusePackage(entry);
      if (reason !== undefined) {
        builder.leaveOut(reason, name);
        continue;
      }
      const version = textOf(member(entry, 'version'));
      builder.add({ ...purlPackage('composer', name), version, place: group });
    }
  }
  return builder.inventory('composer.lock');
}

function refusePackage(entry: Members | undefined): string | undefined {
  const notified = textOf(member(entry, 'notification-url'));
  if (notified !== undefined) return refuseRegistry('composer', notified);
  const kind = (name: string): string | undefined => textOf(member(membersOf(member(entry, name)), 'type'));
  if (kind('dist') === 'path') return 'a local file or folder';
  return kind('source') === 'git' ? 'a git repository' : 'a package of an unknown registry';
}
