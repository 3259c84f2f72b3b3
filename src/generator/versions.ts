// Version bounds of invented products: how a product writes its versions, and ordered spans that are not
// empty under its scheme. Nothing here compares versions: the numbers are drawn so that their order is known.

import type { Dice, Quantiles } from './dice.ts';
import type { FeedSpan, ProductType, VersionScheme } from './feed-record.ts';

/** How a product writes most of its versions. */
export type VersionStyle = 'two' | 'three' | 'four' | 'odd';

export interface VersionHabits {
  readonly type: ProductType;
  readonly scheme: VersionScheme;
  readonly style: VersionStyle;
  /** The highest first part the product has reached. */
  readonly lastMajor: number;
}

type ToBound = FeedSpan['to_bound'];

const MINORS: Quantiles = [
  [0, 1],
  [0.7, 9],
  [1, 60],
];
const CORE_SPAN_COUNTS: Quantiles = [
  [0, 1],
  [0.2, 1.6],
  [0.43, 4],
  [0.57, 5],
  [0.8, 12],
  [1, 26.9],
];
const PLUGIN_SPAN_COUNTS: Quantiles = [
  [0, 2],
  [0.8, 6],
  [1, 60],
];
export const MOST_PLUGIN_SPANS = 102;

/** How many spans an advisory has, except for the one plugin advisory with the most. */
export function drawSpanCount(dice: Dice, habits: VersionHabits): number {
  switch (habits.type) {
    case 'wordpress':
      return Math.floor(dice.draw(CORE_SPAN_COUNTS));
    case 'npm':
      return dice.chance(0.1) ? dice.whole(2, 4) : 1;
    default:
      // Decimal lines do not ascend by their second part (3.5 is above 3.41), so decimal products have one
      // span.
      return habits.scheme !== 'decimal' && dice.chance(0.002)
        ? Math.floor(dice.draw(PLUGIN_SPAN_COUNTS))
        : 1;
  }
}

/** The spans of one advisory. `age` runs from 0, the product's first days, to 1. */
export function makeSpans(dice: Dice, habits: VersionHabits, age: number, count: number): FeedSpan[] {
  const isFixed = dice.chance(habits.type === 'npm' ? 0.75 : 0.82);
  if (habits.type === 'wordpress') return coreSpans(dice, age, count, isFixed);
  if (count > 1) return lineSpans(dice, habits, count, isFixed);
  return [oneSpan(dice, habits, age, isFixed)];
}

function oneSpan(dice: Dice, habits: VersionHabits, age: number, isFixed: boolean): FeedSpan {
  const openEnd = habits.type === 'npm' ? 0.15 : 0.04;
  if (!isFixed && dice.chance(openEnd)) {
    return { from_version: null, to_version: null, to_bound: null, fixed_in: null };
  }
  const major = Math.max(0, Math.round(habits.lastMajor * (0.3 + 0.7 * age)) - dice.whole(0, 1));
  const style = dice.chance(0.9) ? habits.style : dice.pick<VersionStyle>(['two', 'three', 'three', 'four']);
  const to = drawVersion(dice, habits.scheme, style, major);
  const bounded = habits.type === 'npm' ? 0.5 : 0.03;
  // A smaller major version sorts lower in every scheme if both majors have one digit.
  const canBeBounded = style !== 'odd' && major >= 1 && major <= 9;
  const from =
    canBeBounded && dice.chance(bounded) ? `${major - 1}.0${habits.type === 'npm' ? '.0' : ''}` : null;
  return closedSpan(dice, habits.type, from, to, isFixed ? raised(to) : null);
}

/** Several maintained lines, each with its own second part, in ascending order or (some feeds) descending. */
function lineSpans(dice: Dice, habits: VersionHabits, count: number, isFixed: boolean): FeedSpan[] {
  const spans: FeedSpan[] = [];
  const firstMajor = dice.whole(1, 4);
  for (let line = 0; line < count; line++) {
    const prefix = `${firstMajor + Math.floor(line / 12)}.${line % 12}`;
    const to = `${prefix}.${dice.whole(1, 30)}`;
    const from = line === 0 && dice.chance(0.5) ? null : `${prefix}.0`;
    spans.push(closedSpan(dice, habits.type, from, to, isFixed ? raised(to) : null));
  }
  return dice.chance(0.1) ? spans.reverse() : spans;
}

/** Core lines have one digit each: 3.9 is followed by 4.0. */
function coreSpans(dice: Dice, age: number, count: number, isFixed: boolean): FeedSpan[] {
  const lastLine = Math.max(count + 7, Math.round(30 + 36 * age) + dice.whole(-1, 1));
  return Array.from({ length: count }, (_, at) => {
    const line = lastLine - count + 1 + at;
    const prefix = `${Math.floor(line / 10)}.${line % 10}`;
    const to = `${prefix}.${dice.whole(1, 34)}`;
    const from = count === 1 && dice.chance(0.7) ? null : prefix;
    return closedSpan(dice, 'wordpress', from, to, isFixed ? raised(to) : null);
  });
}

function closedSpan(
  dice: Dice,
  type: ProductType,
  from: string | null,
  to: string,
  fix: string | null,
): FeedSpan {
  const to_bound = drawBound(dice, type, fix !== null);
  const fixed_in = to_bound === 'exclusive' ? to : fix;
  return { from_version: from, to_version: to, to_bound, fixed_in };
}

/** An end is exclusive only if it is the fix. */
function drawBound(dice: Dice, type: ProductType, isFixed: boolean): ToBound {
  if (dice.chance(0.005)) return null;
  if (dice.chance(type === 'npm' ? 0.04 : 0.01)) return 'last-affected';
  return isFixed && dice.chance(type === 'npm' ? 0.7 : 0.02) ? 'exclusive' : 'inclusive';
}

function drawVersion(dice: Dice, scheme: VersionScheme, style: VersionStyle, major: number): string {
  const part = (): number => Math.floor(dice.draw(MINORS)) - 1;
  switch (style) {
    case 'two':
      return `${major}.${part() + 1}`;
    case 'three':
      return `${major}.${part()}.${part() + 1}`;
    case 'four':
      return scheme === 'semver'
        ? `${major}.${part()}.${part()}-rc.4`
        : `${major}.${part()}.${part()}.${part() + 1}`;
    case 'odd':
      return scheme === 'semver' ? oddSemver(dice, major, part) : oddPhp(dice, major, part);
  }
}

function oddSemver(dice: Dice, major: number, part: () => number): string {
  return dice.pick([
    `${major}.${part()}.${part()}-beta.${part() + 1}`,
    `${major}.${part()}.0-alpha${part()}`,
    `${major + 1}`,
    `v${major}.${part()}.${part() + 1}`,
    `${major}.${part()}.${part()}+build.${part() + 1}`,
  ]);
}

function oddPhp(dice: Dice, major: number, part: () => number): string {
  const month = String(dice.whole(1, 12)).padStart(2, '0');
  const day = String(dice.whole(1, 28)).padStart(2, '0');
  const year = dice.whole(2012, 2025);
  return dice.pick([
    `${major}.${part()}${dice.pick(['a', 'b', 'c'])}`,
    `${major}.${part()}-beta${part() + 1}`,
    `${major}.${part()} beta ${part() + 1}`,
    `${major}.${part()}.${part()}-RC${part() + 1}`,
    `v${major}.${part()}.${part() + 1}`,
    `${year}${month}${day}`,
    `${year}.${month}.${day}`,
    `${major}.${part()}.${part()}.${part()}.${part() + 1}`,
    `${major}.${part()}.${part()}.${part()}.${part()}.${part()}.${part() + 1}`,
    `${major + 1}`,
  ]);
}

/** The version with its last number incremented, leading zeros kept. */
function raised(version: string): string {
  return version.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'));
}
