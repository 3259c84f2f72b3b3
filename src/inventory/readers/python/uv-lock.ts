// uv.lock: `[[package]]` with a source in every entry. The project and its workspace are `editable` or
// `virtual`, and name what they declare.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip } from '../../refusal.ts';
import { refuseRegistry } from '../registries.ts';

const KNOWN = 1;
const OWN = ['editable', 'virtual'];
const ORIGINS: Readonly<Record<string, string>> = {
  git: 'a git repository',
  directory: 'a local file or folder',
  path: 'a local file or folder',
  url: 'a file of a web site',
};

/** Requires: the members of a uv.lock. */
export function readUvLock(document: Members): Inventory {
  const builder = new InventoryBuilder();
  const version = clip(String(member(document, 'version')), 20);
  if (!(Number(version) <= KNOWN)) builder.remarkNewer(version, KNOWN);
  const packages = listOf(member(document, 'package')).map(membersOf);
  const own = packages.filter((entry) => OWN.some((kind) => Object.hasOwn(sourceOf(entry), kind)));
  const declared = new Set(own.flatMap(declaredBy));
  for (const entry of packages) {
    const name = textOf(member(entry, 'name')) ?? '';
    const reason = refuseSource(sourceOf(entry));
    if (reason !== undefined) builder.leaveOut(reason, name);
    else {
      const direct = own.length === 0 ? undefined : declared.has(name);
      const found = { type: 'pypi', name, version: textOf(member(entry, 'version')) } as const;
      builder.add(direct === undefined ? found : { ...found, direct });
    }
  }
  return builder.inventory(`uv.lock, version ${version}`, 'uv');
}

function sourceOf(entry: Members | undefined): Members {
  return membersOf(member(entry, 'source')) ?? {};
}

/** The names of `dependencies`, and of those of each extra and group. */
function declaredBy(entry: Members | undefined): readonly unknown[] {
  const groups = ['optional-dependencies', 'dev-dependencies'].flatMap((name) =>
    entriesOf(member(entry, name)).map(([, list]) => list),
  );
  return [member(entry, 'dependencies'), ...groups].flatMap((list) =>
    listOf(list).map((dependency) => member(membersOf(dependency), 'name')),
  );
}

function refuseSource(source: Members): string | undefined {
  const registry = textOf(member(source, 'registry'));
  if (registry !== undefined) return refuseRegistry('pypi', registry);
  if (OWN.some((kind) => Object.hasOwn(source, kind))) return 'a package of the workspace itself';
  const [kind = ''] = Object.keys(source);
  return Object.hasOwn(ORIGINS, kind) ? ORIGINS[kind] : 'a package of an unknown registry';
}
