// How spans read in an answer: the comparison expression of `affected`, and which fix is the lowest or highest.

import { type IndexColumns, NONE } from './columns.ts';
import { holdsUpperBound, upperBoundOf } from './interval.ts';

/**
 * One span as a comparison expression over already formatted versions; undefined is an open end. Under semver
 * it is a valid node-semver comparator set.
 */
export function formatSpan(from: string | undefined, to: string | undefined, holdsTo: boolean): string {
  if (from === undefined) {
    if (to === undefined) return '*';
    return holdsTo ? `<= ${to}` : `< ${to}`;
  }
  if (to === undefined) return `>= ${from}`;
  if (holdsTo && from === to) return from;
  return holdsTo ? `>= ${from} <= ${to}` : `>= ${from} < ${to}`;
}

/**
 * A semver bound in full: node-semver reads a short `1.2` inside a range as "any 1.2", while as a bound it is
 * 1.2.0. Requires: a version under the semver scheme.
 */
export function completeSemver(version: string): string {
  const bare = version.trim().replace(/^[v=\s]+/, '');
  if (/^\d+$/.test(bare)) return `${bare}.0.0`;
  return /^\d+\.\d+$/.test(bare) ? `${bare}.0` : bare;
}

/** The expression for all spans of an advisory: theirs joined with ` || `. `textOf` formats a version. */
export function formatAffected(
  columns: IndexColumns,
  advisory: number,
  textOf: (version: number) => string,
): string {
  const { advisorySpanStart, spanFrom, spanTo, spanToBound } = columns;
  const first = advisorySpanStart[advisory];
  const last = advisorySpanStart[advisory + 1];
  let text = '';
  for (let span = first; span < last; span++) {
    const from = spanFrom[span];
    const to = spanTo[span];
    const expression = formatSpan(
      from === NONE ? undefined : textOf(from),
      to === NONE ? undefined : textOf(to),
      holdsUpperBound(upperBoundOf(spanToBound[span])),
    );
    text = span === first ? expression : `${text} || ${expression}`;
  }
  return text;
}

/**
 * The lowest and highest fix of an advisory as versions, NONE when there is none. Versions ascend by key within
 * a scheme, so their rows compare; a fix that is no version of its scheme has an empty key, sorts first, and is
 * the lowest only when nothing better is there.
 */
export function fixRange(columns: IndexColumns, advisory: number): { lowest: number; highest: number } {
  const { advisorySpanStart, spanFixedIn, versionKeyStart } = columns;
  let lowest = NONE;
  let highest = NONE;
  for (let span = advisorySpanStart[advisory]; span < advisorySpanStart[advisory + 1]; span++) {
    const fix = spanFixedIn[span];
    if (fix === NONE) continue;
    if (highest === NONE || fix > highest) highest = fix;
    const isVersion = versionKeyStart[fix + 1] > versionKeyStart[fix];
    const lowestIsVersion = lowest !== NONE && versionKeyStart[lowest + 1] > versionKeyStart[lowest];
    if (lowest === NONE || (isVersion && (!lowestIsVersion || fix < lowest))) lowest = fix;
  }
  return { lowest, highest };
}
