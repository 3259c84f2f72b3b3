// Whether two servers differ: the rule behind every table. It compares rounds
// that followed each other, so that a slow minute of the machine affects both, and believes only what each
// pair of processes shows, since two processes of one build differ too.

import { figureOf, significant } from './figures.ts';

/** What one server took, and the other right after it. */
export type Pair = readonly [ours: number, theirs: number];

/**
 * Of two servers that are the same, chance alone makes one in 140 comparisons of 5 starts stand out, and one
 * in 12 of 3 (normal noise of any size, simulated).
 */
export const FEWEST_STARTS = 5;

export interface Comparison {
  /** Ours divided by theirs: the median of the starts, each of which is the median of its pairs. */
  readonly ratio: number;
  /** The starts with the lowest and the highest ratio. */
  readonly lowest: number;
  readonly highest: number;
  /**
   * Whether the ratio is further from 1 than the starts are from each other, of which there must be enough.
   */
  readonly standsOut: boolean;
}

/** Requires: at least one start, and a pair in each. */
export function compare(starts: readonly (readonly Pair[])[]): Comparison {
  const ratios = starts.map((pairs) => figureOf(pairs.map(([ours, theirs]) => ours / theirs)).median);
  const ratio = figureOf(ratios).median;
  const lowest = Math.min(...ratios);
  const highest = Math.max(...ratios);
  return {
    ratio,
    lowest,
    highest,
    standsOut: ratios.length >= FEWEST_STARTS && Math.abs(ratio - 1) > highest - lowest,
  };
}

export const LEGEND =
  'Ratios: the median of the starts (lowest to highest); ≈ if no difference stands out of the spread.';

/** As in a table, which has the legend. */
export function ratioText({ ratio, lowest, highest, standsOut }: Comparison): string {
  const [median, low, high] = [ratio, lowest, highest].map(significant);
  return `${standsOut ? '' : '≈ '}${median} (${low} to ${high})`;
}
