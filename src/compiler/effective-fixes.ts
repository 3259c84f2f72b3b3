// Resolves fixes that do not fix. A feed may name a fix that another span of the same advisory lists as affected, or
// one inside the very span that it should end. Such a fix is replaced by the fix of the span that contains it, and so
// on until the fix is outside every span of the advisory, or there is none.

import { type IndexColumns, NONE } from '../index/columns.ts';

/** One advisory's spans [first, last), as positions in a numbering of all versions. */
export interface PlacedSpans {
  readonly first: number;
  readonly last: number;
  /** Requires: spans ascend by low, then by high. */
  readonly low: (span: number) => number;
  readonly high: (span: number) => number;
  /** Position of a version; undefined for a text that is not a version of the scheme. */
  readonly positionOf: (version: number) => number | undefined;
}

/** How many fixes inside their own advisory were replaced. */
export interface FixCounts {
  /** By the fix of another span. */
  followed: number;
  /** By null: following them found no fix outside the advisory. */
  dropped: number;
}

/** Replaces the fixes of one advisory in place and counts them in `counts`. */
export function followFixes(
  spanFixedIn: IndexColumns['spanFixedIn'],
  spans: PlacedSpans,
  counts: FixCounts,
): void {
  const { first, last } = spans;
  const named = spanFixedIn.slice(first, last);
  for (let span = first; span < last; span++) {
    let fix = named[span - first];
    // More steps than spans: a cycle.
    for (let steps = 0; fix !== NONE; steps++) {
      const holder = findHolder(fix, spans);
      if (holder === undefined) break;
      fix = steps < last - first ? named[holder - first] : NONE;
    }
    if (fix === spanFixedIn[span]) continue;
    spanFixedIn[span] = fix;
    if (fix === NONE) counts.dropped++;
    else counts.followed++;
  }
}

/** The span reported for the version: of those that contain it, the greatest lower bound, then the least upper. */
function findHolder(
  version: number,
  { first, last, low, high, positionOf }: PlacedSpans,
): number | undefined {
  const position = positionOf(version);
  if (position === undefined) return undefined;
  let holder: number | undefined;
  for (let span = last - 1; span >= first; span--) {
    if (low(span) > position || high(span) < position) continue;
    if (holder !== undefined && low(span) < low(holder)) break;
    holder = span; // of equal lower bounds, the last one visited has the least upper bound
  }
  return holder;
}
