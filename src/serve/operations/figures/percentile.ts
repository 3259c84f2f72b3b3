// A percentile from counts of durations by bucket. Its resolution is that of the buckets: within one,
// durations are taken to be spread evenly.

/**
 * The duration in ms that a share `q` of all does not exceed; undefined without any. `bounds` are the
 * upper bounds in seconds, ascending; `counts` has one element for each and one for longer durations,
 * which count as the last bound.
 */
export function percentileMs(
  counts: ArrayLike<number>,
  bounds: readonly number[],
  q: number,
): number | undefined {
  let total = 0;
  for (let i = 0; i <= bounds.length; i++) total += counts[i];
  if (total === 0) return undefined;
  const rank = q * total;
  let before = 0;
  for (const [i, bound] of bounds.entries()) {
    const count = counts[i];
    if (count > 0 && before + count >= rank) {
      const lower = i === 0 ? 0 : bounds[i - 1];
      return 1000 * (lower + ((bound - lower) * (rank - before)) / count);
    }
    before += count;
  }
  return 1000 * bounds[bounds.length - 1];
}
