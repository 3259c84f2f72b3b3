// Resolves fixes that do not fix. A feed may name a fix that another span of the same advisory lists as
// affected, or one inside the very span that it should end. Such a fix is replaced by the fix of the span
// that contains it, and so on until the fix is outside every span of the advisory, or there is none.

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
  if (last - first === 1 && !containsFix(spanFixedIn[first], spans)) return; // of most advisories
  const ends = spanFixedIn.slice(first, last);
  const holders = findHolders(ends, spans);
  for (let span = 0; span < ends.length; span++) {
    const path: number[] = [];
    let end = span;
    while (holders[end] !== NO_HOLDER) {
      path.push(end);
      const holder = holders[end];
      holders[end] = NO_HOLDER; // a later path ends here, and so does a cycle, which has no fix
      ends[end] = NONE;
      end = holder;
    }
    for (const each of path) ends[each] = ends[end];
    if (ends[span] === spanFixedIn[first + span]) continue;
    spanFixedIn[first + span] = ends[span];
    if (ends[span] === NONE) counts.dropped++;
    else counts.followed++;
  }
}

/** Whether the first span contains this fix. */
function containsFix(fix: number, { first, low, high, positionOf }: PlacedSpans): boolean {
  const position = fix === NONE ? undefined : positionOf(fix);
  return position !== undefined && low(first) <= position && position <= high(first);
}

const NO_HOLDER = -1;

/**
 * For each fix the span that a lookup of it would report: of those that contain it, the greatest lower bound,
 * then the least upper. Spans are counted from `first`. One sweep over the ascending fixes.
 */
function findHolders(fixes: Uint32Array, { first, low, high, positionOf }: PlacedSpans): Int32Array {
  const holders = new Int32Array(fixes.length).fill(NO_HOLDER);
  const placed: { readonly span: number; readonly position: number }[] = [];
  fixes.forEach((version, span) => {
    const position = version === NONE ? undefined : positionOf(version);
    if (position !== undefined) placed.push({ span, position });
  });
  placed.sort((a, b) => a.position - b.position);
  // Of equal lower bounds the least upper bound comes last, and so lies on top.
  const order = Array.from(fixes.keys()).sort((a, b) => low(first + a) - low(first + b) || b - a);
  const begun: number[] = [];
  let next = 0;
  for (const { span, position } of placed) {
    while (next < order.length && low(first + order[next]) <= position) begun.push(order[next++]);
    // What ends below this fix ends below all later ones.
    while (begun.length > 0 && high(first + begun[begun.length - 1]) < position) begun.pop();
    holders[span] = begun.at(-1) ?? NO_HOLDER;
  }
  return holders;
}
