// Spans as clients of WPScan compare them: `introduced_in <= v < fixed_in`, by PHP's version_compare, which
// sees a missing part as lower than a part that is 0. Nothing that the engine calls affected may be missed;
// more may be shown.
//
// - A lower bound loses the parts that are 0 where it ends or a pre-release word follows: 1.0 begins with 1,
//   which is the same version here and lower in PHP. Proof: where a version ends before the bound does and is
//   still not below it, what is left of the bound is zeros and then the end or such a word. Exactly those
//   zeros are dropped; elsewhere both orders agree.
// - `fixed_in` is a fix above the span, else an exclusive upper bound. An inclusive bound without a fix
//   cannot be said: it is null, which clients show as not fixed for every version.
// - A version with zeros beyond those of the fix and then a pre-release word (1.5.0-beta, fixed in 1.5) is
//   the one kind that clients miss. A higher `fixed_in` would make them report the fixed version itself.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { holdsUpperBound, upperBoundOf } from '../../index/lookup/interval.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../../index/versions/version-key.ts';

export interface ComparableSpan {
  readonly introducedIn: string | null;
  readonly fixedIn: string | null;
  /** Whether clients show later versions as affected too. */
  readonly isOpen: boolean;
}

/** How a lower bound is written for PHP's order. Without an entry, a scheme differs from it everywhere. */
const LOWER_BOUNDS: Readonly<Partial<Record<VersionScheme, (version: string) => string | null>>> = {
  wordpress: lowest,
  php: plain,
};

export function comparableSpan(generation: Generation, ordinal: number, span: number): ComparableSpan {
  const { advisoryScheme, spanFrom, spanTo, spanToBound, spanFixedIn } = generation.parts.columns;
  const hasEnd = spanTo[span] !== NONE;
  const lowerBound = LOWER_BOUNDS[VERSION_SCHEMES[advisoryScheme[ordinal]]];
  if (lowerBound === undefined) return { introducedIn: null, fixedIn: null, isOpen: true };
  const introducedIn = spanFrom[span] === NONE ? null : lowerBound(generation.versionText(spanFrom[span]));
  const to = spanTo[span];
  const fix = spanFixedIn[span];
  // Rows ascend by version within a scheme. A text that is not a version comes first.
  const isAbove = hasEnd && fix !== NONE && fix > to;
  if (isAbove) return { introducedIn, fixedIn: plain(generation.versionText(fix)), isOpen: false };
  if (hasEnd && !holdsUpperBound(upperBoundOf(spanToBound[span]))) {
    return { introducedIn, fixedIn: plain(generation.versionText(to)), isOpen: false };
  }
  return { introducedIn, fixedIn: null, isOpen: hasEnd };
}

/**
 * A version that PHP's order does not put above any version that is not below the given one; null if all are.
 */
export function lowest(version: string): string | null {
  const parts = partsOf(version);
  const kept = parts.filter((part, i) => !isZero(part) || !endsInZeros(parts, i));
  if (kept.length === 0) return null;
  return kept.length === parts.length ? plain(version) : kept.join('.');
}

/** The version as it is, unless PHP would read it in another way: then its parts. */
export function plain(version: string): string {
  return /^[0-9](?:[0-9a-z.+_-]*[0-9a-z])?$/.test(version) ? version : partsOf(version).join('.');
}

/** Words and numbers, as the scheme `wordpress` reads them. */
function partsOf(version: string): string[] {
  const text = version.trim().toLowerCase().replace(/^v/, '');
  return text.match(/[0-9]+|[a-z]+/g) ?? [];
}

function isZero(part: string): boolean {
  return /^0+$/.test(part);
}

/** Whether only zeros stand between here and the end, or a word that is below a number. */
function endsInZeros(parts: readonly string[], from: number): boolean {
  const next = parts.slice(from).find((part) => !isZero(part));
  return next === undefined || (/^[a-z]/.test(next) && !next.startsWith('p'));
}
