// The updates as commands to paste into a shell. Names and versions come from files and feeds that anybody
// may have written, so nothing is quoted: what has a character that a shell, or the tool, could take for more
// than a letter is refused.

import { productTypeFacts } from '../../index/product-type.ts';
import type { Updater } from '../../inventory/inventory.ts';
import { mightInclude } from '../parts/npm-range.ts';
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
/** A folder, or a name as npm allows it. */
const WORKSPACE = /^(?:[@.a-z0-9_][@./a-z0-9_-]*)?$/i;
const VERSION = /^[a-z0-9][a-z0-9.+_-]*$/i;
const MAX_LINE_CHARS = 2_000;

interface Tool {
  /** What sets a declared version. */
  readonly install: string;
  /** What makes it do so in one workspace; without it, it does so in all that declare the package. */
  readonly in?: string;
  /** By what its overrides select copies of a package; undefined if they change nothing that is locked. */
  readonly selects?: 'version' | 'range' | 'name';
  /** Of package.json; undefined if they are in pnpm-workspace.yaml. */
  readonly member?: string;
}

const TOOLS: Readonly<Record<Updater, Tool>> = {
  npm: { install: 'npm install', in: '-w', selects: 'version', member: 'overrides' },
  pnpm: { install: 'pnpm update', in: '--filter', selects: 'version' },
  bun: { install: 'bun add', in: '--cwd', selects: 'version', member: 'overrides' },
  yarn: { install: 'yarn up', selects: 'range', member: 'resolutions' },
  'yarn-classic': { install: 'yarn upgrade', selects: 'name', member: 'resolutions' },
  deno: { install: 'deno update --recursive' },
};

export function commandsFor({ updates }: Plan, updater: Updater): Commands {
  const tool = TOOLS[updater];
  const installs = new Map<string, string[]>();
  const lines: string[] = [];
  const leftOut: string[] = [];
  const overrides: [string, string][] = [];
  for (const update of updates) {
    const { type, name, steps } = update;
    if (productTypeFacts(type).platform !== 'wordpress' && type !== 'npm') {
      const versions = [...new Set(steps.map(({ to }) => to))].join(' or ');
      leftOut.push(`${productTypeFacts(type).label} ${name}: update to ${versions}`);
      continue;
    }
    const isSafe = (type === 'npm' ? NPM_NAME : SLUG).test(name);
    if (!isSafe || steps.some(({ to }) => !VERSION.test(to))) {
      leftOut.push(`${name}: its name or version has characters that mean something to a shell`);
    } else if (type === 'npm') {
      for (const { workspace, word } of installsOf(update, tool, leftOut)) {
        const command = workspace && tool.in ? `${tool.install} ${tool.in} ${workspace}` : tool.install;
        const words = installs.get(command);
        if (words === undefined) installs.set(command, [word]);
        else if (!words.includes(word)) words.push(word);
      }
      overrides.push(...overridesOf(update, tool, leftOut));
    } else {
      lines.push(...wpCommands(update));
    }
  }
  return {
    lines: [...[...installs].flatMap(([command, words]) => folded(command, words)), ...lines],
    overrides: overrides.length === 0 ? undefined : overridesText(overrides, tool),
    leftOut,
  };
}

function wpCommands({ type, name, steps }: Update): readonly string[] {
  const versions = new Set(steps.map(({ to }) => to));
  const command = type === 'wordpress' ? 'wp core update' : `wp ${type} update ${name}`;
  return [...versions].map((to) => `${command} --version=${to}`);
}

interface Install {
  readonly workspace: string;
  readonly word: string;
}

/** `name@version` for each place where the project itself declares it, and the name under which it does. */
function installsOf({ name, steps, others }: Update, tool: Tool, leftOut: string[]): readonly Install[] {
  const direct = steps.filter(({ pack }) => pack.direct === true);
  const targets = new Set(direct.map(({ to }) => to));
  if (!tool.in && (targets.size > 1 || (targets.size > 0 && others.some((pack) => pack.direct)))) {
    leftOut.push(`${name}: it is declared in several versions; update each where it is declared`);
    return [];
  }
  const installs: Install[] = [];
  for (const { pack, to } of direct) {
    for (const { alias, workspace, isLinked } of pack.declarations) {
      if (isLinked) {
        leftOut.push(`${name}: it is declared in ${workspace}, a linked folder; update it to ${to} there`);
      } else if (!NPM_NAME.test(alias) || !WORKSPACE.test(workspace)) {
        leftOut.push(
          `${name}: the name under which it is declared has characters that mean something to a shell`,
        );
      } else {
        const word = alias === name ? `${name}@${to}` : `${alias}@npm:${name}@${to}`;
        installs.push({ workspace, word });
      }
    }
  }
  return installs;
}

/** For copies that the project does not declare: overrides that change these, and no other copy. */
function overridesOf(
  { name, steps, others }: Update,
  tool: Tool,
  leftOut: string[],
): readonly [string, string][] {
  const inner = steps.filter(({ pack }) => pack.direct !== true);
  const byHand = (why: string): [] => {
    leftOut.push(`${name}: ${why}; update the packages that bring it in`);
    return [];
  };
  if (inner.length === 0) return [];
  if (tool.selects === undefined) return byHand('no override changes what deno.lock has');
  if (tool.selects === 'name') {
    const isOne = inner.length === steps.length && new Set(inner.map(({ to }) => to)).size === 1;
    return isOne && others.length === 0
      ? [[name, inner[0].to]]
      : byHand('it is installed in several versions');
  }
  return inner.flatMap(({ pack, to }): readonly [string, string][] => {
    const { version, ranges } = pack;
    if (!VERSION.test(version)) return byHand('no override can name it');
    if (tool.selects === 'range') {
      // An alias or a patch has to stay one, which a plain version would end.
      const isPlain = ranges.length > 0 && ranges.every((range) => /^npm:[^@]+$/.test(range));
      if (!isPlain) return byHand('no override can name it');
      return ranges.map((range) => [`${name}@${range}`, to]);
    }
    // An override selects by the name under which a copy is installed.
    if (ranges.some((range) => /^npm:.*@/.test(range)))
      leftOut.push(`${name}: it is also installed under an alias; update the packages that bring it in`);
    // An override takes what its version could satisfy, also where the tool has chosen another copy.
    const moved = [...others, ...steps.filter((step) => step.to !== to).map((step) => step.pack)].find(
      (other) => other.ranges.some((range) => mightInclude(range, version)),
    );
    if (moved !== undefined) return byHand(`an override of ${version} would also change ${moved.version}`);
    return [[`${name}@${version}`, to]];
  });
}

function overridesText(
  overrides: readonly [string, string][],
  { member }: Tool,
): { file: string; text: string } {
  if (member === undefined) {
    const lines = overrides.map(([name, to]) => `  ${JSON.stringify(name)}: ${JSON.stringify(to)}`);
    return { file: 'pnpm-workspace.yaml', text: ['overrides:', ...lines].join('\n') };
  }
  const entries = Object.fromEntries(overrides);
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
