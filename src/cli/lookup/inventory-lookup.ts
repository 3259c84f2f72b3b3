// Looks up every package of an inventory: those with advisories, those that no advisory names, and those that
// cannot be asked.

import type { Generation } from '../../index/generation.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { Locator } from '../../index/lookup/locate.ts';
import { isVersionOrAny } from '../../index/lookup/lookup.ts';
import { Matches } from '../../index/lookup/matches.ts';
import { printable } from '../../index/memory/text-limits.ts';
import type { Inventory, Note, Package } from '../../inventory/inventory.ts';
import { counted } from '../figures.ts';
import { formatCount, formatTable, formatTime } from '../snapshot-report.ts';
import { type Found, find, formatMatch, formatUpdate } from './found.ts';

export interface InventoryFindings {
  /** Those with advisories, in the order of the inventory. */
  readonly affected: readonly { readonly pack: Package; readonly found: Found }[];
  /** Those that no advisory names. */
  readonly unknown: readonly Package[];
  readonly leftOut: readonly Note[];
}

const SHOWN_UNKNOWN = 20;
const SHOWN_NAMES = 3;

export function lookUpAll(generation: Generation, { packages, notes }: Inventory): InventoryFindings {
  const memory = { locator: new Locator(), matches: new Matches() };
  const affected: { readonly pack: Package; readonly found: Found }[] = [];
  const unknown: Package[] = [];
  const notVersions: Package[] = [];
  for (const pack of packages) {
    if (!isVersionOrAny(pack)) notVersions.push(pack);
    else {
      const found = find(generation, pack, memory);
      if (found === undefined) unknown.push(pack);
      else if (found.matches.length > 0) affected.push({ pack, found });
    }
  }
  const examples = notVersions.slice(0, SHOWN_NAMES).map(nameOf);
  const note = { reason: 'not a version', count: notVersions.length, examples };
  return { affected, unknown, leftOut: notVersions.length === 0 ? notes : [...notes, note] };
}

/**
 * A block for each package with advisories, and what became of the others. `listsUnknown` names those too.
 */
export function formatFindings(
  generation: Generation,
  inventory: Inventory,
  { affected, unknown, leftOut }: InventoryFindings,
  listsUnknown: boolean,
): string {
  const view = new ItemView(generation);
  const rows = affected.flatMap(({ found }) =>
    found.matches.map((match) => formatMatch(generation, view, match).map(printable)),
  );
  const lines = formatTable(rows, { indent: '  ' }).split('\n'); // one table, so that all blocks line up
  let next = 0;
  const blocks = affected.map(({ pack, found: { matches, update } }) => {
    const block = lines.slice(next, next + matches.length).join('\n');
    next += matches.length;
    return `${printable(nameOf(pack))}: ${formatUpdate(update)}\n${block}\n\n`;
  });
  const { format, packages, isEitherList } = inventory;
  const all = counted(packages.length, 'package');
  const have = affected.length === 1 ? 'has' : 'have';
  const summary = [
    `${printable(format)}: ${formatCount(affected.length)} of ${all} ${have} advisories; ` +
      `${formatCount(unknown.length)} named by no advisory`,
    ...(isEitherList ? ['read as plugins: a list of themes needs "theme" in the name of its file'] : []),
    ...leftOut.map(formatNote),
    ...(listsUnknown && unknown.length > 0 ? [formatUnknown(unknown)] : []),
  ];
  return `${blocks.join('')}${summary.join('\n')}\n`;
}

/** `answer` is the response body for a package. */
export function describeFindings(
  { id, parts }: Generation,
  snapshot: string,
  { format, packages }: Inventory,
  { affected, unknown, leftOut }: InventoryFindings,
  answer: (pack: Package) => string,
): object {
  return {
    snapshot: { file: snapshot, id, built_at: formatTime(parts.builtAtMs) },
    format,
    packages: packages.length,
    affected: affected.map(({ pack }) => {
      const { direct, places } = pack;
      return { ...identityOf(pack), direct, places, ...(JSON.parse(answer(pack)) as object) };
    }),
    unknown: unknown.map(identityOf),
    left_out: leftOut,
  };
}

function identityOf({ type, name, version }: Package): object {
  return { type, name, version };
}

function nameOf({ type, name, version }: Package): string {
  return `${type} ${name} ${version}`;
}

function formatNote({ reason, count, examples }: Note): string {
  if (count === 0) return printable(reason); // a remark about the whole file
  const more = count > examples.length ? ', …' : '';
  return printable(`left out: ${formatCount(count)} (${reason}): ${examples.join(', ')}${more}`);
}

function formatUnknown(unknown: readonly Package[]): string {
  const shown = unknown.slice(0, SHOWN_UNKNOWN).map(nameOf).join(', ');
  const more = unknown.length - SHOWN_UNKNOWN;
  return printable(`named by no advisory: ${shown}${more > 0 ? ` and ${formatCount(more)} more` : ''}`);
}
