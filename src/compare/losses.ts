// Which published advisories a newer snapshot no longer publishes, in total and for each source, and whether
// that is more than allowed. Looks at columns and terms only, so it costs a fraction of loading the
// snapshots.

import type { IndexColumns } from '../index/columns.ts';
import { findId, publishedCount } from '../index/lookup/id-list.ts';
import { isShrunk } from '../loader/live/guards.ts';
import { hasSameProduct } from './fields.ts';

/** Of the advisories that the previous snapshot publishes. */
interface Tally {
  readonly published: number;
  /** Still there, but withdrawn. */
  readonly withdrawn: number;
  /**
   * The id is not there, or it is that of another product's advisory, as after the loss of a registry of ids.
   */
  readonly gone: number;
  /** The first lost ones, with ordinals of the previous snapshot. */
  readonly examples: readonly Loss[];
}

export interface Loss {
  readonly kind: 'withdrawn' | 'gone';
  readonly ordinal: number;
}

export interface Losses {
  readonly total: Tally;
  /** By name. An advisory of several sources counts for each, one without a source only in the total. */
  readonly bySource: ReadonlyMap<string, Tally>;
  /** What the next snapshot publishes, new advisories included. */
  readonly nextPublished: number;
}

/** In percent. */
export interface LossLimits {
  /** Refuses a larger share; 100 allows any. */
  readonly maxWithdrawn: number;
  /** Refuses this share and more, as the server does; 100 allows any. */
  readonly maxShrink: number;
}

export type Excess =
  /** `source` is undefined for the total. */
  | { readonly kind: 'lost'; readonly source: string | undefined; readonly tally: Tally }
  | { readonly kind: 'shrunk'; readonly published: number; readonly nextPublished: number };

const MOST_EXAMPLES = 5;

/** `sourceNamesOf` gets a term of the column traitsSources of the previous snapshot. */
export function findLosses(
  previous: IndexColumns,
  next: IndexColumns,
  sourceNamesOf: (term: number) => readonly string[],
): Losses {
  const total = new OpenTally();
  const bySource = new Map<string, OpenTally>();
  const tallyOf = (name: string): OpenTally => {
    const tally = bySource.get(name) ?? new OpenTally();
    bySource.set(name, tally);
    return tally;
  };
  const byTerm = new Map<number, readonly OpenTally[]>();
  const { advisoryId, advisoryTraits, traitsSources } = previous;
  const nextPublished = publishedCount(next);
  const published = publishedCount(previous);
  for (let ordinal = 0; ordinal < published; ordinal++) {
    const term = traitsSources[advisoryTraits[ordinal]];
    const tallies = byTerm.get(term) ?? [total, ...Array.from(new Set(sourceNamesOf(term)), tallyOf)];
    byTerm.set(term, tallies);
    const found = findId(next, advisoryId[ordinal]);
    const isThere = found !== undefined && hasSameProduct(previous, ordinal, next, found);
    const kind = !isThere ? 'gone' : found >= nextPublished ? 'withdrawn' : undefined;
    for (const tally of tallies) tally.add(kind, ordinal);
  }
  return { total, bySource, nextPublished };
}

class OpenTally implements Tally {
  published = 0;
  withdrawn = 0;
  gone = 0;
  readonly examples: Loss[] = [];

  add(kind: Loss['kind'] | undefined, ordinal: number): void {
    this.published++;
    if (kind === undefined) return;
    this[kind]++;
    if (this.examples.length < MOST_EXAMPLES) this.examples.push({ kind, ordinal });
  }
}

/** What exceeds the limits: the total first, then sources by name. */
export function findExcess({ total, bySource, nextPublished }: Losses, limits: LossLimits): Excess[] {
  const excess: Excess[] = [];
  const { published } = total;
  if (isShrunk(nextPublished, published, limits.maxShrink)) {
    excess.push({ kind: 'shrunk', published, nextPublished });
  }
  const sources = [...bySource].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [source, tally] of [[undefined, total] as const, ...sources]) {
    if (lostOf(tally) * 100 > limits.maxWithdrawn * tally.published)
      excess.push({ kind: 'lost', source, tally });
  }
  return excess;
}

export function lostOf({ withdrawn, gone }: Tally): number {
  return withdrawn + gone;
}
