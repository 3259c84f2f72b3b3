// The alternative without an index: every advisory of a product, every span, compared with the version one by one.
// Owns the spans in the form such a loop needs; the version comparison is passed in.

import { NONE } from '../src/index/columns.ts';
import type { Generation } from '../src/index/generation.ts';
import { holdsUpperBound, upperBoundOf } from '../src/index/lookup/interval.ts';
import { versionAt } from './questions.ts';

/** A bound is what `prepare` returns for a version: the string itself, or a preparsed form. */
export interface LinearSpan<Bound> {
  readonly from: Bound | null;
  readonly to: Bound | null;
  readonly holdsTo: boolean;
}

export interface LinearAdvisory<Bound> {
  readonly id: number;
  readonly spans: readonly LinearSpan<Bound>[];
}

/** The published advisories of a product, by descending id. */
export function linearAdvisories<Bound>(
  generation: Generation,
  product: number,
  prepare: (version: string) => Bound,
): LinearAdvisory<Bound>[] {
  const { advisorySpanStart, spanFrom, spanTo, spanToBound } = generation.parts.columns;
  const bound = (version: number): Bound | null =>
    version === NONE ? null : prepare(versionAt(generation, version));
  return Array.from(generation.advisoriesOf(product), (ordinal) => {
    const spans: LinearSpan<Bound>[] = [];
    for (let span = advisorySpanStart[ordinal]; span < advisorySpanStart[ordinal + 1]; span++) {
      spans.push({
        from: bound(spanFrom[span]),
        to: bound(spanTo[span]),
        holdsTo: holdsUpperBound(upperBoundOf(spanToBound[span])),
      });
    }
    return { id: generation.idAt(ordinal), spans };
  });
}

/** The ids of the advisories that apply, by descending id. */
export function linearMatches<Version, Bound>(
  advisories: readonly LinearAdvisory<Bound>[],
  version: Version,
  compare: (version: Version, bound: Bound) => number,
): number[] {
  const ids: number[] = [];
  for (const { id, spans } of advisories) {
    if (spans.some((span) => holds(span, version, compare))) ids.push(id);
  }
  return ids;
}

export function linearExists<Version, Bound>(
  advisories: readonly LinearAdvisory<Bound>[],
  version: Version,
  compare: (version: Version, bound: Bound) => number,
): boolean {
  return advisories.some(({ spans }) => spans.some((span) => holds(span, version, compare)));
}

function holds<Version, Bound>(
  { from, to, holdsTo }: LinearSpan<Bound>,
  version: Version,
  compare: (version: Version, bound: Bound) => number,
): boolean {
  if (from !== null && compare(version, from) < 0) return false;
  if (to === null) return true;
  const order = compare(version, to);
  return order < 0 || (order === 0 && holdsTo);
}
