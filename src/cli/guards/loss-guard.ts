// The guard before a snapshot is published: compares it with the previous one, and refuses it if it lost too
// much. The messages say what was lost, how to look at it, and how to publish it anyway.

import { renameSync } from 'node:fs';
import {
  type Excess,
  findExcess,
  findLosses,
  type Loss,
  type Losses,
  type LossLimits,
  lostOf,
} from '../../compare/losses.ts';
import type { IndexColumns } from '../../index/columns.ts';
import type { SourcesTerm } from '../../index/items/list-item.ts';
import { OpenBlock } from '../../index/memory/open-block.ts';
import { printable } from '../../index/memory/text-limits.ts';
import { SnapshotError } from '../../loader/errors.ts';
import { isShrunk, shellWord } from '../../loader/live/guards.ts';
import { readVerified } from '../../loader/snapshot/load.ts';
import { type PackedSections, readSnapshotHeader, type SnapshotBytes } from '../../loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../loader/snapshot/records.ts';
import { CommandError } from '../command-error.ts';
import { formatCount } from '../snapshot-report.ts';

export interface LossGuard extends LossLimits {
  /** The snapshot to compare with. */
  readonly previousPath: string;
  /** Used instead of reading that file, if it is what the file holds. */
  readonly opened?: CheckedSnapshot | undefined;
  /** The complete new one, not yet published. */
  readonly nextPath: string;
  /** Where a refused snapshot is moved, so that it can be looked at; without it, it stays where it is. */
  readonly keepRefusedAs?: string;
}

/** What the comparison needs of a snapshot whose columns and terms have been checked. */
export interface CheckedSnapshot {
  readonly id: string;
  readonly columns: IndexColumns;
  /** At least its texts. */
  readonly packed: PackedSections;
  readonly termAt: (term: number) => unknown;
}

/** A snapshot was not published because it lost too much. */
export class LossError extends CommandError {
  override readonly name = 'LossError';
}

/**
 * Throws LossError if the new snapshot may not be published, after `report` has got one line for each reason
 * and for a few of the lost advisories. Throws SnapshotError if the previous snapshot is damaged.
 */
export function guardAgainstLoss(guard: LossGuard, report: (line: string) => void): void {
  const { previousPath, opened, nextPath, keepRefusedAs } = guard;
  const next = readBack(nextPath);
  const isOpen = opened !== undefined && readSnapshotHeader(previousPath).id === opened.id;
  const previous = isOpen ? opened : withTerms(readVerified(previousPath, ['texts']));
  const excess = findExcess(lossesOf(previous, next), guard);
  for (const each of excess) {
    report(describeExcess(each, guard));
    if (each.kind === 'lost') for (const loss of each.tally.examples) report(describe(previous, loss));
  }
  if (excess.length === 0) return;
  if (keepRefusedAs !== undefined) renameSync(nextPath, keepRefusedAs);
  const look =
    keepRefusedAs === undefined
      ? ''
      : `look at it with: vulndex diff ${shellWord(previousPath)} ${shellWord(keepRefusedAs)}; `;
  throw new LossError(
    `refused: the new snapshot lost too much of ${previousPath}; nothing was published; ${look}` +
      `if the loss is intended, run this again with ${neededOptions(excess).join(' ')}`,
  );
}

function withTerms({ id, columns, packed }: SnapshotBytes): CheckedSnapshot {
  const records = new SnapshotRecords(columns, packed);
  return { id, columns, packed, termAt: (term) => records.termAt(term) };
}

function lossesOf({ columns, termAt }: CheckedSnapshot, next: IndexColumns): Losses {
  // The terms asked for are lists of sources: `readVerified` has checked that.
  return findLosses(columns, next, (term) => (termAt(term) as SourcesTerm).map(([name]) => name));
}

/** The columns of the snapshot that was just written. */
function readBack(path: string): IndexColumns {
  try {
    return readVerified(path, []).columns;
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const problem = 'the new snapshot cannot be read back';
    throw new CommandError(`${path}: ${problem} (${error.message}); check the disk`, { cause: error });
  }
}

function describeExcess(excess: Excess, { maxWithdrawn, maxShrink }: LossLimits): string {
  if (excess.kind === 'shrunk') {
    const { published, nextPublished } = excess;
    return (
      `published advisories: ${formatCount(nextPublished)} after ${formatCount(published)}, ` +
      `${percent(published - nextPublished, published)} fewer (--max-shrink ${maxShrink} refuses ${maxShrink} % and more)`
    );
  }
  const { source, tally } = excess;
  const { withdrawn, gone, published } = tally;
  const of = source === undefined ? 'all sources' : `source ${printable(source)}`;
  return (
    `${of}: ${formatCount(lostOf(tally))} of ${formatCount(published)} published advisories lost, ` +
    `${percent(lostOf(tally), published)} (${formatCount(withdrawn)} withdrawn, ${formatCount(gone)} gone; ` +
    `--max-withdrawn ${maxWithdrawn} allows up to ${maxWithdrawn} %)`
  );
}

/** `  1203 gone: its title` */
function describe({ columns, packed }: CheckedSnapshot, { kind, ordinal }: Loss): string {
  const [title] = new SnapshotRecords(columns, packed).textAt(ordinal, new OpenBlock());
  return `  ${columns.advisoryId[ordinal]} ${kind}: ${printable(title)}`;
}

/** The options with which the snapshot would have been published. */
function neededOptions(excess: readonly Excess[]): string[] {
  const shares = excess.map((each) =>
    each.kind === 'lost' ? Math.ceil((lostOf(each.tally) * 100) / each.tally.published) : 0,
  );
  const maxWithdrawn = Math.max(...shares);
  const options = maxWithdrawn === 0 ? [] : [`--max-withdrawn ${maxWithdrawn}`];
  for (const each of excess) {
    if (each.kind !== 'shrunk') continue;
    let maxShrink = 0;
    while (isShrunk(each.nextPublished, each.published, maxShrink)) maxShrink++;
    options.push(`--max-shrink ${maxShrink}`);
  }
  return options;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
