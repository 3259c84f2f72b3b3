// Looks up every package of an inventory: those with advisories, those that no advisory names, and those that
// cannot be asked.

import type { Generation } from '../../index/generation.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { Locator } from '../../index/lookup/locate.ts';
import { Matches } from '../../index/lookup/matches.ts';
import { printable } from '../../index/memory/text-limits.ts';
import { countOpen, type Inventory, type Note, type Package } from '../../inventory/inventory.ts';
import { counted } from '../figures.ts';
import { formatCount, formatTable, formatTime } from '../snapshot-report.ts';
import { type Found, find, formatMatch, formatUpdate } from './found.ts';

export interface InventoryFindings {
  /** Those with advisories, in the order of the inventory. */
  readonly affected: readonly { readonly pack: Package; readonly found: Found }[];
  /** Those that no advisory names. */
  readonly unknown: readonly Package[];
  readonly leftOut: readonly Note[];
  /** How many entries of the inventory were looked up, and how many could not be. */
  readonly lookedUp: number;
  readonly open: number;
}

const SHOWN_UNKNOWN = 20;
const SHOWN_NAMES = 3;

export function lookUpAll(generation: Generation, { packages, notes }: Inventory): InventoryFindings {
  const memory = { locator: new Locator(), matches: new Matches() };
  const affected: { readonly pack: Package; readonly found: Found }[] = [];
  const unknown: Package[] = [];
  const notVersions: Package[] = [];
  const withoutData: Package[] = [];
  for (const pack of packages) {
    const found = find(generation, pack, memory);
    if (generation.isWithoutData(pack.type)) withoutData.push(pack);
    else if (found === null) notVersions.push(pack);
    else if (found === undefined) unknown.push(pack);
    else if (found.matches.length > 0) affected.push({ pack, found });
  }
  const types = [...new Set(withoutData.map(({ type }) => type))];
  const leftOut = [
    ...notes,
    ...openNote('not a version', notVersions),
    ...openNote(`the snapshot has no advisory of the type ${types.join(', ')}`, withoutData),
  ];
  const lookedUp = packages.length - notVersions.length - withoutData.length;
  return { affected, unknown, leftOut, lookedUp, open: countOpen(leftOut) };
}

function openNote(reason: string, packages: readonly Package[]): readonly Note[] {
  if (packages.length === 0) return [];
  const examples = packages.slice(0, SHOWN_NAMES).map(nameOf);
  return [{ reason, count: packages.length, isOpen: true, examples }];
}

/**
 * A block for each package with advisories, and what became of the others. `listsUnknown` names those too.
 */
export function formatFindings(
  generation: Generation,
  inventory: Inventory,
  { affected, unknown, leftOut, lookedUp, open }: InventoryFindings,
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
    return `${printable(nameOf(pack))}: ${formatUpdate(pack, update)}\n${block}\n\n`;
  });
  const { format, isEitherList } = inventory;
  const entries = counted(lookedUp + open, 'entry', 'entries');
  const summary = [
    `${printable(format)}: ${entries}: ${formatCount(lookedUp)} looked up, ${formatCount(open)} not; ` +
      `${formatCount(affected.length)} with advisories, ${formatCount(unknown.length)} named by no advisory`,
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
  { format }: Inventory,
  { affected, unknown, leftOut, lookedUp, open }: InventoryFindings,
  answer: (pack: Package) => string,
): object {
  return {
    snapshot: { file: snapshot, id, built_at: formatTime(parts.builtAtMs) },
    format,
    packages: lookedUp,
    not_looked_up: open,
    affected: affected.map(({ pack }) => {
      const { direct, places } = pack;
      return { ...identityOf(pack), direct, places, ...(JSON.parse(answer(pack)) as object) };
    }),
    unknown: unknown.map(identityOf),
    left_out: leftOut.map(({ reason, count, isOpen, examples }) => ({
      reason,
      count,
      open: isOpen,
      examples,
    })),
  };
}

function identityOf({ type, name, version }: Package): object {
  return { type, name, version };
}

function nameOf({ type, name, version }: Package): string {
  return `${type} ${name} ${version}`;
}

function formatNote({ reason, count, isOpen, examples }: Note): string {
  if (count === 0) return printable(reason); // a remark about the whole file
  const more = count > examples.length ? ', …' : '';
  return printable(
    `${isOpen ? 'not looked up' : 'left out'}: ${formatCount(count)} (${reason}): ${examples.join(', ')}${more}`,
  );
}

function formatUnknown(unknown: readonly Package[]): string {
  const shown = unknown.slice(0, SHOWN_UNKNOWN).map(nameOf).join(', ');
  const more = unknown.length - SHOWN_UNKNOWN;
  return printable(`named by no advisory: ${shown}${more > 0 ? ` and ${formatCount(more)} more` : ''}`);
}
