// Whether a range of npm's might include a version. Lockfiles were written by a tool that knows exactly; here
// it is only asked which copies a change might touch, so what is not read counts as "yes". A library for this
// has a tenth of what this page may weigh.

const COMPARATOR = /^(\^|~>?|[<>]=?|=?)v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/;

/** False only if it certainly does not. */
export function mightInclude(range: string, version: string): boolean {
  const numbers = COMPARATOR.exec(version)
    ?.slice(2)
    .map((text = '0') => Number(text));
  if (numbers === undefined || /\s-\s/.test(range)) return true;
  return range
    .replace(/^npm:(?:@?[^@]+@)?/, '')
    .replace(/([<>=~^])\s+/g, '$1')
    .split('||')
    .some((part) =>
      part
        .trim()
        .split(/\s+/)
        .every((comparator) => mightMeet(comparator, numbers)),
    );
}

/** Labels of pre-releases are not compared: a version and its pre-releases count as equal. */
function mightMeet(comparator: string, version: readonly number[]): boolean {
  const match = COMPARATOR.exec(comparator);
  if (match === null) return true; // `*`, a tag, an address
  const [, operator, ...texts] = match;
  const bound = texts.filter((text) => text !== undefined).map(Number);
  const differs = bound.findIndex((number, at) => number !== version[at]);
  if (differs < 0) return bound.length === 3 || !/^[<>]$/.test(operator);
  const isAbove = version[differs] > bound[differs];
  if (operator.startsWith('<')) return !isAbove;
  if (!isAbove) return false;
  if (operator.startsWith('>')) return true;
  if (operator === '^') return differs > bound.findIndex((number) => number > 0) && bound.some(Boolean);
  return operator.startsWith('~') && differs > (bound.length > 1 ? 1 : 0);
}

/** Whether an update leaves what `^` allows: its author promises nothing about it. */
export function isMajorJump(from: string, to: string): boolean {
  return !mightInclude(`^${from}`, to);
}
