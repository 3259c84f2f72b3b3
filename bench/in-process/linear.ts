// The alternative without an index: every advisory of a product, every span, compared with the version one by one.
// Owns the spans in the form such a loop needs; the version comparison is passed in.

import type { Generation } from '../../src/index/generation.ts';
import { holdsUpperBound, upperBoundOf } from '../../src/index/lookup/interval.ts';
import { spansOf } from '../questions.ts';

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

type Compare<Bound> = (version: Bound, bound: Bound) => number;

/** The published advisories of a product, by descending id. */
export function linearAdvisories<Bound>(
  generation: Generation,
  product: number,
  prepare: (version: string) => Bound,
): LinearAdvisory<Bound>[] {
  const bound = (version: string | null): Bound | null => (version === null ? null : prepare(version));
  return Array.from(generation.advisoriesOf(product), (ordinal) => ({
    id: generation.idAt(ordinal),
    spans: spansOf(generation, ordinal).map(({ from, to, toBound }) => ({
      from: bound(from),
      to: bound(to),
      holdsTo: holdsUpperBound(upperBoundOf(toBound)),
    })),
  }));
}

/** Whether an advisory applies to the version. */
export function applies<Bound>(
  { spans }: LinearAdvisory<Bound>,
  version: Bound,
  compare: Compare<Bound>,
): boolean {
  return spans.some(({ from, to, holdsTo }) => {
    if (from !== null && compare(version, from) < 0) return false;
    if (to === null) return true;
    const order = compare(version, to);
    return order < 0 || (order === 0 && holdsTo);
  });
}
