// The output of `npm ls --json` and of `pnpm ls --json`: a tree of what is installed, in which npm also lists
// what is missing.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { entriesOf, listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip } from '../../refusal.ts';
import { type Level, wayTo } from './npm-lock.ts';
import { nameInTarball, refuseOrigin, splitAt } from './origin.ts';

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'unsavedDependencies'];

interface OpenLevel extends Level {
  /** Whether it belongs to the project or one of its workspaces. */
  readonly isDeclared: boolean;
  readonly workspace: string;
}

/** Requires: the root of npm's tree, or all of pnpm's. */
export function readNpmLs(roots: readonly Members[], isPnpm: boolean): Inventory {
  const builder = new InventoryBuilder();
  const levels: OpenLevel[] = [];
  for (const root of roots) {
    const workspace = roots.length > 1 ? (textOf(member(root, 'name')) ?? '') : '';
    for (const group of GROUPS) {
      const entries = entriesOf(member(root, group));
      levels.push({ entries, name: '', above: undefined, isDeclared: true, workspace });
    }
    for (const problem of listOf(member(root, 'problems')).slice(0, 1)) {
      builder.remark(
        `npm reports problems with this tree, the first being: ${clip(textOf(problem) ?? '', 200)}`,
      );
    }
  }
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    for (const [key, value] of level.entries) readEntry(key, membersOf(value), level, levels, builder);
  }
  return builder.inventory(isPnpm ? 'pnpm ls --json' : 'npm ls --json', isPnpm ? 'pnpm' : 'npm');
}

function readEntry(
  key: string,
  entry: Members | undefined,
  level: OpenLevel,
  levels: OpenLevel[],
  builder: InventoryBuilder,
): void {
  const version = textOf(member(entry, 'version'));
  const resolved = textOf(member(entry, 'resolved')) ?? '';
  const reason = refuseOrigin(resolved) ?? refuseOrigin(version ?? '');
  const below = entriesOf(member(entry, 'dependencies'));
  if (below.length > 0) {
    // A workspace is a link below the root; what it depends on is declared by the project.
    const isDeclared = level.isDeclared && reason !== undefined;
    levels.push({ entries: below, name: key, above: level, isDeclared, workspace: key });
  }
  if (reason !== undefined) {
    builder.leaveOut(reason, key);
  } else if (version === undefined) {
    const isMissing = member(entry, 'missing') === true || member(entry, 'required') !== undefined;
    builder.leaveOut(isMissing ? 'not installed' : 'an optional package that is not installed', key);
  } else {
    // pnpm tells the real name in `from`, npm only in the address of the tarball.
    const from = textOf(member(entry, 'from')) ?? '';
    const name =
      /^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(from) && version !== '' ? from : (nameInTarball(resolved) ?? key);
    const alias = version.startsWith('npm:') ? splitAt(version.slice(4)) : undefined;
    builder.add({
      type: 'npm',
      name: alias?.name ?? name,
      version: alias?.rest ?? version,
      place: wayTo(key, level),
      direct: level.isDeclared,
      declarations: [{ alias: key, workspace: level.workspace }],
    });
  }
}
