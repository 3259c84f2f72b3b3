// The updates as commands to paste into a shell. Names and versions come from files and feeds that anybody
// may have written, so nothing is quoted: what has a character that a shell, or the tool, could take for more
// than a letter is refused.

import { type Platform, productTypeFacts } from '../../index/product-type.ts';
import type { NpmUpdater, Updater } from '../../inventory/inventory.ts';
import { mightInclude } from '../parts/npm-range.ts';
import { type UpdateTool, updateToolOf } from '../parts/platform-tools.ts';
import type { Plan, Update } from './updates.ts';

export interface Commands {
  /** One a line. */
  readonly lines: readonly string[];
  /** What to know about the commands of a tool. */
  readonly remarks: readonly string[];
  /** What to put into which file, for packages that others bring in. */
  readonly overrides: Overrides | undefined;
  /** What is not in them, and why. */
  readonly leftOut: readonly string[];
}

interface Overrides {
  readonly file: string;
  readonly text: string;
  /** What else makes some versions of the tool apply them. */
  readonly hint?: string;
}

/** Of a package, a scope before it or the parts of a path. */
const PLAIN_NAME = /^@?\w[\w.-]*(?:\/\w[\w.-]*)*$/;
/** A folder, or a name as npm allows it. */
const WORKSPACE = /^(?:[@.a-z0-9_][@./a-z0-9_-]*)?$/i;
const VERSION = /^[a-z0-9][a-z0-9.+_-]*$/i;
const MEANING = 'has characters that mean something to a shell';
const MAX_LINE_CHARS = 2_000;

interface NpmTool {
  /** What sets a declared version. */
  readonly install: string;
  /** What makes it do so in one workspace; without it, it does so in all that declare the package. */
  readonly in?: string;
  /** By what its overrides select copies of a package; undefined if they change nothing that is locked. */
  readonly selects?: 'version' | 'range' | 'name';
  /** Of package.json; undefined if they are in pnpm-workspace.yaml. */
  readonly member?: string;
  readonly hint?: string;
}

const NPM_TOOLS: Readonly<Record<NpmUpdater, NpmTool>> = {
  npm: {
    install: 'npm install',
    in: '-w',
    selects: 'version',
    member: 'overrides',
    hint: 'npm 10: npm update',
  },
  pnpm: { install: 'pnpm update', in: '--filter', selects: 'version' },
  bun: { install: 'bun add', in: '--cwd', selects: 'version', member: 'overrides' },
  yarn: { install: 'yarn up', selects: 'range', member: 'resolutions' },
  'yarn-classic': { install: 'yarn upgrade', selects: 'name', member: 'resolutions' },
  deno: { install: 'deno update --recursive' },
};

/** What has been written so far. */
interface Draft {
  readonly updater: Updater;
  readonly npmTool: NpmTool;
  /** By command: the words that follow it. */
  readonly words: Map<string, string[]>;
  readonly lines: string[];
  readonly remarks: Set<string>;
  readonly overrides: [string, string][];
  readonly leftOut: string[];
}

/** Of platforms whose tools need more than one command for a product. */
const WRITERS: Readonly<Partial<Record<Platform, (update: Update, draft: Draft) => void>>> = {
  npm: writeNpm,
};

export function commandsFor({ updates }: Plan, updater: Updater): Commands {
  const npmTool = isOfNpm(updater) ? NPM_TOOLS[updater] : NPM_TOOLS.npm;
  const draft: Draft = {
    updater,
    npmTool,
    words: new Map(),
    lines: [],
    remarks: new Set(),
    overrides: [],
    leftOut: [],
  };
  for (const update of updates) {
    const write = WRITERS[productTypeFacts(update.type).platform] ?? writeEach;
    write(update, draft);
  }
  const { words, lines, remarks, overrides, leftOut } = draft;
  return {
    lines: [...[...words].flatMap(([command, each]) => folded(command, each)), ...lines],
    remarks: [...remarks],
    overrides: overrides.length === 0 ? undefined : overridesOfTool(overrides, npmTool),
    leftOut,
  };
}

function isOfNpm(updater: Updater): updater is NpmUpdater {
  return Object.hasOwn(NPM_TOOLS, updater);
}

/** All commands of a product, or none. */
function writeEach(update: Update, draft: Draft): void {
  const { type, name, steps } = update;
  const tool = updateToolOf(type, draft.updater);
  const versions = [...new Set(steps.map(({ to }) => to))];
  if (tool !== undefined && !(isPlainName(name, tool) && versions.every((to) => isPlainVersion(to, tool)))) {
    draft.leftOut.push(`${name}: its name or version ${MEANING}`);
    return;
  }
  const texts = tool && wordsOf(update, tool);
  if (tool === undefined || texts === undefined) {
    draft.leftOut.push(`${productTypeFacts(type).label} ${name}: update to ${versions.join(' or ')}`);
    return;
  }
  for (const text of texts) {
    if (tool.takesSeveral) follow(draft.words, tool.command, text);
    else draft.lines.push(`${tool.command} ${text}`);
  }
  if (tool.remark !== undefined) draft.remarks.add(tool.remark);
}

/** What follows the tool's command, each text once; undefined if a step has no such words. */
function wordsOf({ type, name, steps, others }: Update, tool: UpdateTool): Set<string> | undefined {
  const isOne = others.length === 0 && new Set(steps.map(({ to }) => to)).size === 1;
  const texts = new Set<string>();
  for (const { pack, to } of steps) {
    // A command that does not select a version would change the others too, maybe to a lower one.
    const isClear = tool.selects ? isPlainVersion(pack.version, tool) : isOne;
    const words = isClear ? tool.wordsFor({ type, name, from: pack.version, to }) : undefined;
    if (words === undefined) return undefined;
    texts.add(words.join(' '));
  }
  return texts;
}

function isPlainName(name: string, tool: UpdateTool | undefined): boolean {
  return PLAIN_NAME.test(name) && tool?.name.test(name) === true;
}

function isPlainVersion(version: string, tool: UpdateTool): boolean {
  return VERSION.test(version) && tool.version.test(version);
}

function writeNpm(update: Update, { npmTool, words, overrides, leftOut }: Draft): void {
  const { type, name, steps } = update;
  if (!isPlainName(name, updateToolOf(type)) || steps.some(({ to }) => !VERSION.test(to))) {
    leftOut.push(`${name}: its name or version ${MEANING}`);
    return;
  }
  for (const { workspace, word } of installsOf(update, npmTool, leftOut)) {
    const { install, in: within } = npmTool;
    follow(words, workspace && within ? `${install} ${within} ${workspace}` : install, word);
  }
  overrides.push(...overridesOf(update, npmTool, leftOut));
}

/** Adds a word to those of a command, once. */
function follow(words: Map<string, string[]>, command: string, word: string): void {
  const known = words.get(command);
  if (known === undefined) words.set(command, [word]);
  else if (!known.includes(word)) known.push(word);
}

interface Install {
  readonly workspace: string;
  readonly word: string;
}

/** `name@version` for each place where the project itself declares it, and the name under which it does. */
function installsOf(
  { type, name, steps, others }: Update,
  tool: NpmTool,
  leftOut: string[],
): readonly Install[] {
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
      } else if (!isPlainName(alias, updateToolOf(type)) || !WORKSPACE.test(workspace)) {
        leftOut.push(`${name}: the name under which it is declared ${MEANING}`);
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
  tool: NpmTool,
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

function overridesOfTool(overrides: readonly [string, string][], { member, hint }: NpmTool): Overrides {
  if (member === undefined) {
    const lines = overrides.map(([name, to]) => `  ${JSON.stringify(name)}: ${JSON.stringify(to)}`);
    return { file: 'pnpm-workspace.yaml', text: ['overrides:', ...lines].join('\n') };
  }
  const text = `"${member}": ${JSON.stringify(Object.fromEntries(overrides), undefined, 2)}`;
  return { file: 'package.json', text, ...(hint === undefined ? {} : { hint }) };
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
