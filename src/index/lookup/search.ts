// Binary searches over typed arrays. The loader has checked that the arrays are sorted.

/** Smallest i in [first, last) with keys[i] >= key, or last. Requires: keys ascending there. */
export function lowerBound(keys: ArrayLike<number>, key: number, first = 0, last = keys.length): number {
  let lo = first;
  let hi = last;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (keys[mid] < key) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/**
 * Smallest i in [first, last) for which `isReached(i)`, or last. Requires: it is false up to a point, then
 * true.
 */
export function partitionPoint(first: number, last: number, isReached: (i: number) => boolean): number {
  let lo = first;
  let hi = last;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (isReached(mid)) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}
