// Version bounds of invented products: ordered spans that are not empty under their scheme. Nothing here
// compares versions: the numbers are drawn so that their order is known.

import type { Dice, Quantiles } from './dice.ts';
import type { FeedSpan, VersionScheme } from './feed-record.ts';
import type { VersionStyle } from './version-styles.ts';

/** What the products of a kind have in common. Shares are from 0 to 1. */
export interface SpanHabits {
  /** The share of advisories with several spans, and how many those have. */
  readonly several: number;
  readonly spanCounts: Quantiles;
  /** Makes all spans of an advisory. */
  readonly makeSpans: (dice: Dice, draft: SpanDraft) => FeedSpan[];
  readonly fixed: number;
  /** Of those without a fix, the share that affects every version. */
  readonly endless: number;
  /** The share of single spans with a beginning. */
  readonly bounded: number;
  readonly lastAffected: number;
  /** Of ends with a fix. */
  readonly exclusive: number;
  /** What a product writes if not in its own style. */
  readonly otherStyles: readonly VersionStyle[];
  readonly majorOf: (dice: Dice, lastMajor: number, age: number) => number;
  /** The beginning of a span that ends in a major version, which is 1 or more. */
  readonly beginningBelow: (major: number) => string;
}

export interface VersionHabits {
  readonly kind: SpanHabits;
  readonly scheme: VersionScheme;
  /** How the product writes most of its versions. */
  readonly style: VersionStyle;
  /** The highest first part the product has reached. */
  readonly lastMajor: number;
}

interface SpanDraft {
  readonly habits: VersionHabits;
  /** From 0, the product's first days, to 1. */
  readonly age: number;
  readonly count: number;
  readonly isFixed: boolean;
}

/** How many spans an advisory has, except for the one plugin advisory with the most. */
export function drawSpanCount(dice: Dice, { kind, scheme }: VersionHabits): number {
  // Decimal lines do not ascend by their second part (3.5 is above 3.41), so decimal products have one span.
  return scheme !== 'decimal' && dice.chance(kind.several) ? Math.floor(dice.draw(kind.spanCounts)) : 1;
}

/** The spans of one advisory. */
export function makeSpans(dice: Dice, habits: VersionHabits, age: number, count: number): FeedSpan[] {
  return habits.kind.makeSpans(dice, { habits, age, count, isFixed: dice.chance(habits.kind.fixed) });
}

/** One span, or one for each of several maintained lines. */
export function usualSpans(dice: Dice, draft: SpanDraft): FeedSpan[] {
  return draft.count > 1 ? lineSpans(dice, draft) : [oneSpan(dice, draft)];
}

function oneSpan(dice: Dice, { habits, age, isFixed }: SpanDraft): FeedSpan {
  const { kind } = habits;
  if (!isFixed && dice.chance(kind.endless)) {
    return { from_version: null, to_version: null, to_bound: null, fixed_in: null };
  }
  const major = kind.majorOf(dice, habits.lastMajor, age);
  const style = dice.chance(0.9) ? habits.style : dice.pick(kind.otherStyles);
  const to = style(dice, major);
  // A smaller major version sorts lower in every scheme if both majors have one digit.
  const isBounded = major >= 1 && major <= 9 && dice.chance(kind.bounded);
  return closedSpan(dice, habits, isBounded ? kind.beginningBelow(major) : null, to, isFixed);
}

/** Several maintained lines, each with its own second part, in ascending order or (some feeds) descending. */
function lineSpans(dice: Dice, { habits, count, isFixed }: SpanDraft): FeedSpan[] {
  const spans: FeedSpan[] = [];
  const firstMajor = dice.whole(1, 4);
  for (let line = 0; line < count; line++) {
    const prefix = `${firstMajor + Math.floor(line / 12)}.${line % 12}`;
    const from = line === 0 && dice.chance(0.5) ? null : `${prefix}.0`;
    spans.push(closedSpan(dice, habits, from, `${prefix}.${dice.whole(1, 30)}`, isFixed));
  }
  return dice.chance(0.1) ? spans.reverse() : spans;
}

/** Core lines have one digit each: 3.9 is followed by 4.0. */
export function coreSpans(dice: Dice, { habits, age, count, isFixed }: SpanDraft): FeedSpan[] {
  const lastLine = Math.max(count + 7, Math.round(30 + 36 * age) + dice.whole(-1, 1));
  return Array.from({ length: count }, (_, at) => {
    const line = lastLine - count + 1 + at;
    const prefix = `${Math.floor(line / 10)}.${line % 10}`;
    const from = count === 1 && dice.chance(0.7) ? null : prefix;
    return closedSpan(dice, habits, from, `${prefix}.${dice.whole(1, 34)}`, isFixed);
  });
}

/** An end is exclusive only if it is the fix. */
function closedSpan(
  dice: Dice,
  { kind, scheme }: VersionHabits,
  from: string | null,
  to: string,
  isFixed: boolean,
): FeedSpan {
  const to_bound = drawBound(dice, kind, isFixed);
  const fixed_in = to_bound === 'exclusive' ? to : isFixed ? above(to, scheme) : null;
  return { from_version: from, to_version: to, to_bound, fixed_in };
}

function drawBound(dice: Dice, kind: SpanHabits, isFixed: boolean): FeedSpan['to_bound'] {
  if (dice.chance(0.005)) return null;
  if (dice.chance(kind.lastAffected)) return 'last-affected';
  return isFixed && dice.chance(kind.exclusive) ? 'exclusive' : 'inclusive';
}

/** The version with its last number incremented, leading zeros kept. As decimals, 3.10 would be below 3.9. */
function above(version: string, scheme: VersionScheme): string {
  if (scheme === 'decimal') return `${version}1`;
  return version.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'));
}
