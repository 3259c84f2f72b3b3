// package-lock.json and npm-shrinkwrap.json: version 1 is a tree of `dependencies`, versions 2 and 3 have a
// flat table `packages` by path. Trees are walked without recursion, because a file may nest as deep as it
// likes.

import { type Declaration, type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { refuseOrigin, splitAt } from './origin.ts';

const KNOWN = 3;
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
export const FOLDER = 'node_modules/';

/** Requires: a member `lockfileVersion`. */
export function readNpmLock(lock: Members): Inventory {
  const version = member(lock, 'lockfileVersion');
  const label =
    typeof version === 'number' || typeof version === 'string' ? clip(String(version), 20) : 'unknown';
  const packages = membersOf(member(lock, 'packages'));
  const tree = membersOf(member(lock, 'dependencies'));
  const isNew = typeof version !== 'number' || !(version >= 1 && version <= KNOWN);
  const builder = new InventoryBuilder();
  if (packages !== undefined && (version !== 1 || tree === undefined) && isTable(packages)) {
    readTable(packages, builder);
  } else if (tree !== undefined && !isNew) {
    readTree(tree, builder);
  } else if (isNew || packages !== undefined) {
    throw new Refusal(
      `This looks like a package-lock.json of version ${label}, whose content is not ` +
        `of a form that is known here. Versions 1, 2 and 3 are read: \`npm install --package-lock-only --lockfile-version ${KNOWN}\` writes one.`,
    );
  }
  if (isNew) {
    builder.remarkNewer(label, KNOWN);
  }
  return builder.inventory(`package-lock.json, version ${label}`);
}

/** Whether all entries are objects, as a table of packages has them. bun.lock has arrays. */
function isTable(packages: Members): boolean {
  return Object.values(packages).every((entry) => membersOf(entry) !== undefined);
}

/** Requires: what is installed and the workspaces, by folder. */
export function readTable(packages: Members, builder: InventoryBuilder): void {
  const uses = usesOf(packages);
  for (const [path, value] of Object.entries(packages)) {
    const entry = membersOf(value);
    const cut = path.lastIndexOf(FOLDER);
    if (path === '') continue; // the project itself
    if (cut < 0) {
      builder.leaveOut('a package of the workspace itself', path);
      continue;
    }
    const name = textOf(member(entry, 'name')) ?? path.slice(cut + FOLDER.length);
    if (member(entry, 'link') === true) {
      builder.leaveOut('a link to a folder', name);
      continue;
    }
    const reason = refuseOrigin(textOf(member(entry, 'resolved')) ?? '');
    if (reason !== undefined) {
      builder.leaveOut(reason, name);
      continue;
    }
    const { ranges = [], declarations = [] } = uses.get(path) ?? {};
    const found = { type: 'npm', name, version: textOf(member(entry, 'version')) } as const;
    builder.add({ ...found, place: path, direct: declarations.length > 0, declarations, ranges });
  }
}

interface Use {
  readonly ranges: Set<string>;
  /** By the project and its workspaces. */
  readonly declarations: Declaration[];
}

/** Who asks for what is installed at each path. */
function usesOf(packages: Members): ReadonlyMap<string, Use> {
  const linked = linkedFolders(packages);
  const uses = new Map<string, Use>();
  for (const [folder, value] of Object.entries(packages)) {
    const isOwn = !folder.includes(FOLDER); // the project or a workspace
    for (const group of DEPENDENCIES) {
      for (const [alias, range] of entriesOf(member(membersOf(value), group))) {
        const path = installedAt(packages, folder, alias);
        if (path === undefined) continue;
        let use = uses.get(path);
        if (use === undefined) {
          use = { ranges: new Set(), declarations: [] };
          uses.set(path, use);
        }
        use.ranges.add(textOf(range) ?? '');
        if (isOwn) use.declarations.push({ alias, workspace: folder, isLinked: linked.has(folder) });
      }
    }
  }
  return uses;
}

/** Where a package in that folder finds another; undefined if it is not installed. */
function installedAt(packages: Members, folder: string, alias: string): string | undefined {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf(`/${FOLDER}`)))) {
    const path = above === '' ? FOLDER + alias : `${above}/${FOLDER}${alias}`;
    if (Object.hasOwn(packages, path)) return path;
    if (above === '') return undefined;
  }
}

/** The folders to which dependencies with `file:` lead. */
function linkedFolders(packages: Members): ReadonlySet<unknown> {
  const folders = new Set<unknown>();
  for (const [folder, value] of Object.entries(packages)) {
    for (const group of DEPENDENCIES) {
      for (const [alias, range] of entriesOf(member(membersOf(value), group))) {
        if (!textOf(range)?.startsWith('file:')) continue;
        const path = installedAt(packages, folder, alias) ?? '';
        folders.add(member(membersOf(member(packages, path)), 'resolved'));
      }
    }
  }
  return folders;
}

/** One level of a tree, and the way to it. */
export interface Level {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly name: string;
  readonly above: Level | undefined;
}

const SHOWN_LEVELS = 6;

/**
 * `a > b > c`, the last few of them: a way of thousands of names is of use to nobody, and takes much memory.
 */
export function wayTo(name: string, level: Level): string {
  const names = [name];
  let above: Level | undefined = level;
  for (; above?.above !== undefined && names.length < SHOWN_LEVELS; above = above.above)
    names.unshift(above.name);
  return (above?.above === undefined ? names : ['…', ...names]).join(' > ');
}

function readTree(tree: Members, builder: InventoryBuilder): void {
  const levels: Level[] = [{ entries: Object.entries(tree), name: '', above: undefined }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    for (const [key, value] of level.entries) {
      const entry = membersOf(value);
      const below = entriesOf(member(entry, 'dependencies'));
      if (below.length > 0) levels.push({ entries: below, name: key, above: level });
      const version = textOf(member(entry, 'version')) ?? '';
      const alias = version.startsWith('npm:') ? splitAt(version.slice(4)) : undefined;
      const reason = /^\d/.test(version) || alias !== undefined ? undefined : refuseOrigin(version);
      if (reason !== undefined) builder.leaveOut(reason, key);
      else if (/^https?:/.test(version)) builder.leaveOut('a tarball without a version', key);
      else {
        const place = wayTo(key, level);
        builder.add({ type: 'npm', name: alias?.name ?? key, version: alias?.rest ?? version, place });
      }
    }
  }
}
