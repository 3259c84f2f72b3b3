// The updates as commands to paste into a shell. Names and versions come from files and feeds that anybody may have written, so
// nothing is quoted: what has a character that a shell, or the tool, could take for more than a letter is refused.

import type { Updater } from './inventory.ts';
import type { Plan, Update } from './updates.ts';

export interface Commands {
  /** One a line. */
  readonly lines: readonly string[];
  /** What to put into which file, for packages that others bring in. */
  readonly overrides: { readonly file: string; readonly text: string } | undefined;
  /** What is not in them, and why. */
  readonly leftOut: readonly string[];
}

const NPM_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9_][a-z0-9._-]*$/i;
const SLUG = /^[a-z0-9_][a-z0-9._-]*$/i;
const VERSION = /^[a-z0-9][a-z0-9.+_-]*$/i;
const MAX_LINE_CHARS = 2_000;

const INSTALL: Readonly<Record<Updater, string>> = {
  npm: 'npm install',
  pnpm: 'pnpm update',
  yarn: 'yarn up',
  'yarn-classic': 'yarn upgrade',
};

export function commandsFor({ updates }: Plan, updater: Updater): Commands {
  const direct: string[] = [];
  const lines: string[] = [];
  const leftOut: string[] = [];
  const overrides: [string, string][] = [];
  for (const update of updates) {
    const isSafe = (update.type === 'npm' ? NPM_NAME : SLUG).test(update.name);
    if (!isSafe || update.steps.some(({ to }) => !VERSION.test(to))) {
      leftOut.push(`${update.name}: its name or version has characters that mean something to a shell`);
    } else if (update.type === 'npm') {
      direct.push(...installsOf(update, leftOut));
      overrides.push(...overridesOf(update, updater, leftOut));
    } else {
      lines.push(...wpCommands(update));
    }
  }
  return {
    lines: [...folded(INSTALL[updater], direct), ...lines],
    overrides: overrides.length === 0 ? undefined : overridesText(overrides, updater),
    leftOut,
  };
}

function wpCommands({ type, name, steps }: Update): readonly string[] {
  const versions = new Set(steps.map(({ to }) => to));
  const command = type === 'wordpress' ? 'wp core update' : `wp ${type} update ${name}`;
  return [...versions].map((to) => `${command} --version=${to}`);
}

/** `name@version` for each name under which the project itself declares it. */
function installsOf({ name, steps }: Update, leftOut: string[]): readonly string[] {
  const words = steps
    .filter(({ pack }) => pack.direct === true)
    .flatMap(({ pack, to }) =>
      pack.declaredAs.map((alias) => ({
        alias,
        word: alias === name ? `${name}@${to}` : `${alias}@npm:${name}@${to}`,
      })),
    );
  // Workspaces may declare several versions of a package, and one command can install one.
  const isClear =
    new Set(words.map(({ alias }) => alias)).size === new Set(words.map(({ word }) => word)).size;
  if (!isClear) {
    leftOut.push(`${name}: it is declared in several versions; update each where it is declared`);
    return [];
  }
  if (words.some(({ alias }) => !NPM_NAME.test(alias))) {
    leftOut.push(
      `${name}: the name under which it is declared has characters that mean something to a shell`,
    );
    return [];
  }
  return [...new Set(words.map(({ word }) => word))];
}

function overridesOf(
  { name, steps }: Update,
  updater: Updater,
  leftOut: string[],
): readonly [string, string][] {
  const inner = steps.filter(({ pack }) => pack.direct !== true);
  if (inner.length === 0) return [];
  const isOnly = inner.length === steps.length && new Set(inner.map(({ to }) => to)).size === 1;
  if (isOnly) return [[name, inner[0].to]];
  if (
    updater === 'yarn' ||
    updater === 'yarn-classic' ||
    inner.some(({ pack }) => !VERSION.test(pack.version))
  ) {
    // yarn's resolutions select by the range that asks, which an inventory does not have.
    leftOut.push(`${name}: it is installed in several versions; update the packages that bring it in`);
    return [];
  }
  return inner.map(({ pack, to }) => [`${name}@${pack.version}`, to]);
}

function overridesText(
  overrides: readonly [string, string][],
  updater: Updater,
): { file: string; text: string } {
  const entries = Object.fromEntries(overrides);
  if (updater === 'pnpm') {
    const lines = overrides.map(([name, to]) => `  ${JSON.stringify(name)}: ${JSON.stringify(to)}`);
    return { file: 'pnpm-workspace.yaml', text: ['overrides:', ...lines].join('\n') };
  }
  const member = updater === 'npm' ? 'overrides' : 'resolutions';
  return { file: 'package.json', text: `"${member}": ${JSON.stringify(entries, undefined, 2)}` };
}

/** As many lines as it takes to keep each of a length that every shell accepts. */
function folded(command: string, words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > MAX_LINE_CHARS) lines.push(`${command} ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
