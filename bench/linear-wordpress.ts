// The straightforward order of WordPress versions: strings split into parts, parts compared in turn as PHP's
// version_compare does, a missing part counting as 0. Only a baseline for the keys: it leaves the corner cases of the
// rule to them.

const NUMBER_RANK = 4;
/** By the first letters of a word, in PHP's order; anything else is below all of these. */
const WORD_RANKS: readonly (readonly [prefix: string, rank: number])[] = [
  ['dev', 0],
  ['a', 1],
  ['b', 2],
  ['rc', 3],
  ['p', 5],
];
const UNKNOWN_RANK = -1;

export function wordpressParts(version: string): string[] {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/(\d)([a-z])/g, '$1.$2')
    .replace(/([a-z])(\d)/g, '$1.$2')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .split(/[^a-z0-9]+/);
}

export function compareWordpress(a: string, b: string): number {
  return compareWordpressParts(wordpressParts(a), wordpressParts(b));
}

export function compareWordpressParts(a: readonly string[], b: readonly string[]): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = comparePart(a[i] ?? '0', b[i] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : rankOf(a) - rankOf(b);
}

function rankOf(part: string): number {
  if (isNumber(part)) return NUMBER_RANK;
  return WORD_RANKS.find(([prefix]) => part.startsWith(prefix))?.[1] ?? UNKNOWN_RANK;
}

function isNumber(part: string): boolean {
  return part >= '0' && part < ':';
}
