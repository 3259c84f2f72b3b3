// The order of byte strings, wherever they are: keys, slugs, texts, aliases.

/** The first four of bytes[start..end) as a number, in the same order; those beyond the end are 0. */
export function wordFrom(bytes: Uint8Array, start: number, end: number): number {
  let word = 0;
  for (let at = start; at < start + 4; at++) word = (word << 8) | (at < end ? bytes[at] : 0);
  return word >>> 0;
}

/** Sign of a[aStart..aEnd) against b[bStart..bEnd), byte by byte; a prefix comes first. */
export function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const aLength = aEnd - aStart;
  const bLength = bEnd - bStart;
  const shared = Math.min(aLength, bLength);
  for (let i = 0; i < shared; i++) {
    const difference = a[aStart + i] - b[bStart + i];
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return aLength === bLength ? 0 : aLength < bLength ? -1 : 1;
}
