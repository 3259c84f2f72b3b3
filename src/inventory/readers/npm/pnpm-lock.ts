// pnpm-lock.yaml, versions 5 to 9. The keys of `packages` hold names and versions, each version in its own
// way:
//   5: /name/1.0.0_peer@2.0.0   6: /name@1.0.0(peer@2.0.0)   9: name@1.0.0

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { refuseOrigin, splitAt } from './origin.ts';

const KNOWN = [5, 9] as const;
const GROUPS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'configDependencies',
  'packageManagerDependencies',
];

type Key = { readonly name: string; readonly version: string } | { readonly reason: string };

/** Requires: the documents of the file; newer pnpm writes one for its own tools before the project's. */
export function readPnpmLock(documents: readonly unknown[]): Inventory {
  const builder = new InventoryBuilder();
  const versions = new Set<string>();
  for (const value of documents) {
    const lock = membersOf(value);
    const version = textOf(member(lock, 'lockfileVersion'));
    if (lock === undefined || version === undefined) continue;
    versions.add(clip(version, 20));
    readDocument(lock, version, builder);
  }
  if (versions.size === 0)
    throw new Refusal('This looks like a pnpm-lock.yaml, but its lockfileVersion is missing.');
  return builder.inventory(`pnpm-lock.yaml, version ${[...versions].join(' and ')}`, 'pnpm');
}

function readDocument(lock: Members, version: string, builder: InventoryBuilder): void {
  const major = Number(/^(\d+)/.exec(version)?.[1] ?? Number.NaN);
  const packages = entriesOf(member(lock, 'packages'));
  const isNew = !(major >= KNOWN[0] && major <= KNOWN[1]);
  // A version that is not known is read if its keys are those of the last one that is.
  if (
    isNew &&
    (!(major > KNOWN[1]) || packages.some(([key]) => splitAt(key) === undefined || key.startsWith('/')))
  ) {
    throw new Refusal(
      `This is a pnpm-lock.yaml of version ${clip(version, 20)}, whose content is not of a form that is known here. ` +
        `Versions ${KNOWN[0]} to ${KNOWN[1]} are read; \`pnpm ls --json --depth Infinity\` lists the same packages.`,
    );
  }
  if (isNew) builder.remarkNewer(version, KNOWN[1]);
  const declared = declaredKeys(lock, major);
  for (const [key, value] of packages) {
    const entry = membersOf(value);
    const read = readKey(key, entry, major);
    if ('reason' in read) {
      builder.leaveOut(read.reason, key);
      continue;
    }
    const uses = declared.get(`${read.name}\n${read.version}`);
    if (uses === undefined) builder.add({ type: 'npm', ...read, direct: false });
    for (const { alias, importer } of uses ?? []) {
      const workspace = importer === '.' ? '' : `./${importer}`;
      builder.add({
        type: 'npm',
        ...read,
        place: importer,
        direct: true,
        declarations: [{ alias, workspace }],
      });
    }
  }
}

interface Use {
  readonly alias: string;
  readonly importer: string;
}

/** Who declares a package, by its name and version. */
function declaredKeys(lock: Members, major: number): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  for (const [importer, value] of [['.', lock] as const, ...entriesOf(member(lock, 'importers'))]) {
    for (const group of GROUPS) {
      for (const [alias, dependency] of entriesOf(member(membersOf(value), group))) {
        const version = textOf(dependency) ?? textOf(member(membersOf(dependency), 'version')) ?? '';
        const key = /^\d/.test(version)
          ? { name: alias, version: withoutPeers(version) }
          : readKey(version, undefined, major);
        if ('reason' in key) continue;
        const id = `${key.name}\n${key.version}`;
        const list = uses.get(id);
        if (list === undefined) uses.set(id, [{ alias, importer }]);
        else list.push({ alias, importer });
      }
    }
  }
  return uses;
}

function readKey(key: string, entry: Members | undefined, major: number): Key {
  const resolution = membersOf(member(entry, 'resolution'));
  const kind = textOf(member(resolution, 'type'));
  if (kind === 'git') return { reason: 'a git repository' };
  if (kind === 'directory') return { reason: 'a local file or folder' };
  const reason = refuseOrigin(textOf(member(resolution, 'tarball')) ?? '');
  if (reason !== undefined) return { reason };
  const ownVersion = textOf(member(entry, 'version'));
  const ownName = textOf(member(entry, 'name'));
  if (ownName !== undefined && ownVersion !== undefined) return { name: ownName, version: ownVersion };
  return major < 6 ? readSlashKey(key) : readAtKey(key, ownVersion);
}

function readSlashKey(key: string): Key {
  const reason = refuseOrigin(key);
  if (reason !== undefined && !/^[\w.-]+\.[a-z]+\//i.test(key)) return { reason };
  // What comes before is a registry's host, or nothing.
  const parts = key.slice(key.indexOf('/') + 1).split('/');
  const name = parts[0].startsWith('@') ? parts.splice(0, 2).join('/') : (parts.shift() ?? '');
  const version = withoutPeers(parts[0] ?? '');
  if (/^\d/.test(version)) return { name, version };
  return { reason: /^(?:github|gitlab|bitbucket)\./.test(key) ? 'a git repository' : 'no version' };
}

function readAtKey(key: string, ownVersion: string | undefined): Key {
  const pair = splitAt(key.replace(/^\//, ''));
  if (pair === undefined) return { reason: refuseOrigin(key) ?? 'no version' };
  const version = withoutPeers(pair.rest);
  if (/^\d/.test(version)) return { name: pair.name, version };
  const reason = refuseOrigin(version);
  if (reason !== undefined) return { reason };
  return ownVersion === undefined ? { reason: 'no version' } : { name: pair.name, version: ownVersion };
}

function withoutPeers(version: string): string {
  return version.replace(/[(_].*$/s, '');
}
