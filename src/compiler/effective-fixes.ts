// A fix that fixes. Feeds name the fix of one release line that another line of the same advisory already counts as
// affected, or a fix inside the very span it is said to end. Such a fix is followed to the fix of the span that holds
// it, and on from there, until it lies outside every span of the advisory or there is none.

import { type IndexColumns, NONE } from '../index/columns.ts';

/** One advisory's spans [first, last), as positions in one numbering of all versions. */
export interface PlacedSpans {
  readonly first: number;
  readonly last: number;
  /** Requires: spans ascend by low, then by high. */
  readonly low: (span: number) => number;
  readonly high: (span: number) => number;
  /** Position of a version; undefined for a text that is not a version of the scheme. */
  readonly positionOf: (version: number) => number | undefined;
}

/** What became of the fixes that lay inside their own advisory. */
export interface FixCounts {
  /** Replaced by the fix of another span. */
  followed: number;
  /** Replaced by null: no fix led out of the advisory. */
  dropped: number;
}

/** Replaces the fixes of one advisory in place and adds to `counts` what was replaced. */
export function followFixes(
  spanFixedIn: IndexColumns['spanFixedIn'],
  spans: PlacedSpans,
  counts: FixCounts,
): void {
  const { first, last } = spans;
  const named = spanFixedIn.slice(first, last);
  for (let span = first; span < last; span++) {
    let fix = named[span - first];
    // A way longer than there are spans has turned back on itself.
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

/** The span that answers for the version: of those that hold it the greatest lower bound, then the least upper. */
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
    holder = span; // of equal lower bounds the last one looked at has the least upper bound
  }
  return holder;
}
