// Whether a version is in a span: node-semver for npm, PHP's order for the others, padded unless the feed says php.
// Parses at every comparison, as code does that keeps versions as text. Only a baseline: it leaves the corner cases of
// the rules to the version keys. The loops of bench/in-process share its order.
import semver from 'semver';

const NUMBER_RANK = 4;
/** By the first letters of a word, in PHP's order; anything else is below all of these. */
const WORD_RANKS = [
  ['dev', 0],
  ['a', 1],
  ['b', 2],
  ['rc', 3],
  ['#', NUMBER_RANK],
  ['p', 5],
];
const UNKNOWN_RANK = -1;

/** A function that compares the given version with another under the scheme. */
export function comparerOf(scheme, version) {
  if (scheme === 'semver') {
    const parsed = semver.parse(semver.valid(version, { loose: true }) ?? semver.coerce(version));
    return (other) => parsed.compare(semver.parse(other, { loose: true }) ?? semver.coerce(other));
  }
  if (scheme === 'wordpress') {
    const parts = wordpressParts(version);
    return (other) => compareWordpressParts(parts, wordpressParts(other));
  }
  const compare = scheme === 'php' ? comparePhpParts : compareDecimalParts;
  const parts = phpParts(version);
  return (other) => compare(parts, phpParts(other));
}

/** Of the spans that contain the version, the one that begins last; of several, the one that ends first. */
export function containingSpan(spans, compare) {
  let best;
  for (const span of spans) {
    const { from_version: from, to_version: to, to_bound: bound } = span;
    if (from !== null && compare(from) < 0) continue;
    if (to !== null) {
      const order = compare(to);
      if (bound === 'exclusive' ? order >= 0 : order > 0) continue;
    }
    if (best === undefined || isTighter(span, best)) best = span;
  }
  return best;
}

function isTighter(span, best) {
  if (span.from_version !== best.from_version) {
    if (best.from_version === null) return true;
    if (span.from_version === null) return false;
    const order = comparerOf(span.scheme, span.from_version)(best.from_version);
    if (order !== 0) return order > 0;
  }
  if (span.to_version === null) return false;
  return best.to_version === null || comparerOf(span.scheme, span.to_version)(best.to_version) < 0;
}

/**
 * Words and runs of digits.
 * @param {string} version
 */
export function wordpressParts(version) {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/(\d)([a-z])/g, '$1.$2')
    .replace(/([a-z])(\d)/g, '$1.$2')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .split(/[^a-z0-9]+/);
}

/**
 * A missing part counts as 0.
 * @param {readonly string[]} a
 * @param {readonly string[]} b
 */
export function compareWordpressParts(a, b) {
  return compareParts(a, b, Math.max(a.length, b.length));
}

function phpParts(version) {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_+]/g, '.')
    .replace(/(\d)([^\d.])/g, '$1.$2')
    .replace(/([^\d.])(\d)/g, '$1.$2')
    .split('.');
}

/** A version that continues the other is above it if a number follows; if a word follows, the word is compared with `#`. */
function comparePhpParts(a, b) {
  const shared = Math.min(a.length, b.length);
  const order = compareParts(a, b, shared);
  if (order !== 0 || a.length === b.length) return order;
  const [longer, sign] = a.length > b.length ? [a, 1] : [b, -1];
  return isNumber(longer[shared]) ? sign : sign * comparePart(longer[shared], '#');
}

/** Numbers as digits after a decimal point: 1.25 is below 1.3. */
function compareDecimalParts(a, b) {
  return compareWordpressParts(paddedLike(a, b), paddedLike(b, a));
}

function paddedLike(parts, others) {
  return Array.from({ length: Math.max(parts.length, others.length) }, (_, i) => {
    const part = parts[i] ?? '0';
    return isNumber(part) ? part.padEnd((others[i] ?? '').length, '0') : part;
  });
}

function compareParts(a, b, length) {
  for (let i = 0; i < length; i++) {
    const order = comparePart(a[i] ?? '0', b[i] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a, b) {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : rankOf(a) - rankOf(b);
}

function rankOf(part) {
  if (isNumber(part)) return NUMBER_RANK;
  return WORD_RANKS.find(([prefix]) => part.startsWith(prefix))?.[1] ?? UNKNOWN_RANK;
}

function isNumber(part) {
  return part >= '0' && part < ':';
}
