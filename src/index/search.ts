// Binary searches over typed arrays, and the brand that says an array was seen to be sorted.

declare const sorted: unique symbol;
/** Ascending values (equal neighbours allowed), granted by the loader's checks. */
export type SortedU32 = Uint32Array & { readonly [sorted]: true };

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

/** Smallest i in [first, last) for which `isReached(i)`, or last. Requires: false up to a point, then true. */
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
