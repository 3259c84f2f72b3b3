// Spans to intervals. This alone interprets bounds: nothing else decides whether an end is inside or outside.
//
// Distinct bounds b0 < b1 < … divide the version line into positions, numbered in order:
//
//     below b0   b0   between   b1   between   …   above the last of d bounds
//         0       1      2       3      4                     2d
//
// An interval is a closed pair of positions. So a version is compared with bounds once, to find its position;
// after that everything is integer comparison.

import {
  compareKeys,
  getVersionKey,
  type SchemeFacts,
  schemeFacts,
  type VersionScheme,
} from '../versions/version-key.ts';

/** A bound's code in a snapshot is its index here plus one; 0 is an unrecorded bound. Append only. */
export const UPPER_BOUNDS = ['exclusive', 'inclusive', 'last-affected'] as const;
export type UpperBound = (typeof UPPER_BOUNDS)[number];

/** One affected range of versions, with strings exactly as in the feed. */
export interface Span {
  /** Inclusive lower bound; null is unbounded below. */
  readonly from: string | null;
  /** Upper bound, read by `toBound`; null is unbounded above. */
  readonly to: string | null;
  /** How to read `to`; null with a `to` reads as inclusive. */
  readonly toBound: UpperBound | null;
  readonly fixedIn: string | null;
}

/** Whether a version equal to the upper bound is affected. */
export function holdsUpperBound(toBound: UpperBound | null): boolean {
  return toBound !== 'exclusive';
}

/** Code of an upper bound in a snapshot, and back. */
export function upperBoundCode(toBound: UpperBound | null): number {
  return toBound === null ? 0 : UPPER_BOUNDS.indexOf(toBound) + 1;
}
export function upperBoundOf(code: number): UpperBound | null {
  return code === 0 ? null : UPPER_BOUNDS[code - 1];
}

/** Whether a lower bound with this text means "unbounded"; see `lowest` in versions/version-key.ts. */
export function isUnboundedBelow({ lowest }: SchemeFacts, text: string): boolean {
  return lowest?.test(text) === true;
}

/** First position of an interval that begins at bound `index`, or without a lower bound (null). */
export function lowPosition(index: number | null): number {
  return index === null ? 0 : 2 * index + 1;
}

/**
 * Last position of an interval that ends at bound `index` of `boundCount`, or without an upper bound (null).
 */
export function highPosition(index: number | null, toBound: UpperBound | null, boundCount: number): number {
  if (index === null) return 2 * boundCount;
  return holdsUpperBound(toBound) ? 2 * index + 1 : 2 * index;
}

/** Whether a span contains no version. Requires: its bounds are versions of the scheme. */
export function isEmptySpan(span: Span, scheme: VersionScheme): boolean {
  if (span.from === null || span.to === null) return false;
  if (isUnboundedBelow(schemeFacts(scheme), span.from)) return false;
  const order = compareKeys(getVersionKey(scheme, span.from), getVersionKey(scheme, span.to));
  return order > 0 || (order === 0 && !holdsUpperBound(span.toBound));
}
