// PHP's version_compare as one would write it down from its manual: strings cut into parts, parts compared in turn.
// The alternative that the php keys are measured against, and nothing else: the rule's corners are the keys'.

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

export function phpParts(version: string): string[] {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_+]/g, '.')
    .replace(/(\d)([^\d.])/g, '$1.$2')
    .replace(/([^\d.])(\d)/g, '$1.$2')
    .split('.');
}

export function comparePhp(a: string, b: string): number {
  return comparePhpParts(phpParts(a), phpParts(b));
}

export function comparePhpParts(a: readonly string[], b: readonly string[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const order = comparePart(a[i], b[i]);
    if (order !== 0) return order;
  }
  if (a.length === b.length) return 0;
  return a.length > b.length ? overhang(a[shared]) : -overhang(b[shared]);
}

function comparePart(a: string, b: string): number {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : rankOf(a) - rankOf(b);
}

/** A version that goes on with a number is the greater one; with a word, it depends on the word. */
function overhang(part: string): number {
  return isNumber(part) ? 1 : rankOf(part) - NUMBER_RANK;
}

function rankOf(part: string): number {
  if (isNumber(part)) return NUMBER_RANK;
  return WORD_RANKS.find(([prefix]) => part.startsWith(prefix))?.[1] ?? UNKNOWN_RANK;
}

function isNumber(part: string): boolean {
  return part >= '0' && part < ':';
}
