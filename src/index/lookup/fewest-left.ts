// Where no version is clear of everything: the version that leaves the fewest advisories, found on the axis
// of an explanation.

import { isPlaceholder } from '../versions/placeholder.ts';
import { holdsUpperBound, type UpperBound } from './interval.ts';
import type { VersionAxis } from './version-axis.ts';

/** A span by its places on the axis; null where it has no bound. */
interface AxisSpan {
  readonly fromAt: number | null;
  readonly toAt: number | null;
  readonly toBound: UpperBound | null;
}

interface AxisAdvisory {
  readonly ordinal: number;
  readonly spans: readonly AxisSpan[];
}

export interface FewestLeft {
  readonly version: string;
  /** Those that apply to it, in the order given. */
  readonly ordinals: readonly number[];
}

/**
 * Of the axis' versions that are not below its place, the lowest to which the fewest of the advisories apply;
 * undefined if that is no fewer than `applying`. Requires: all spans of the advisories, and advisories of
 * this axis alone.
 */
export function findFewestLeft(
  { versions, place }: VersionAxis,
  advisories: readonly AxisAdvisory[],
  applying: number,
): FewestLeft | undefined {
  if (place === undefined) return undefined;
  const change = new Int32Array(versions.length + 1);
  for (const { spans } of advisories) {
    let covered = 0; // what an earlier span of the advisory covers counts once
    const stretches = spans.map((span) => stretchOf(span, versions.length)).sort((a, b) => a.start - b.start);
    for (const { start, end } of stretches) {
      if (end <= covered || end <= start) continue;
      change[Math.max(start, covered)]++;
      change[end]--;
      covered = end;
    }
  }
  let best: number | undefined;
  let least = applying;
  let count = 0;
  versions.forEach((version, at) => {
    count += change[at];
    if (at < place.below || count >= least || isPlaceholder(version)) return;
    best = at;
    least = count;
  });
  if (best === undefined) return undefined;
  const at = best;
  const isLeft = ({ spans }: AxisAdvisory): boolean =>
    spans.some((span) => {
      const { start, end } = stretchOf(span, versions.length);
      return start <= at && at < end;
    });
  return { version: versions[at], ordinals: advisories.filter(isLeft).map(({ ordinal }) => ordinal) };
}

/** The versions [start, end) of the axis that are in the span. */
function stretchOf({ fromAt, toAt, toBound }: AxisSpan, count: number): { start: number; end: number } {
  const end = toAt === null ? count : toAt + (holdsUpperBound(toBound) ? 1 : 0);
  return { start: fromAt ?? 0, end };
}
