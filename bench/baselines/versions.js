// Whether a version is in a span: node-semver for npm, PHP's order for the others, padded unless the feed says php.
// Parses at every comparison, as code does that keeps versions as text.
import semver from 'semver';

const WORDS = new Map([
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
]);
const UNKNOWN = -1;

/** A function that compares the given version with another under the scheme. */
export function comparerOf(scheme, version) {
  if (scheme === 'semver') {
    const parsed = semver.parse(semver.valid(version, { loose: true }) ?? semver.coerce(version));
    return (other) => parsed.compare(semver.parse(other, { loose: true }) ?? semver.coerce(other));
  }
  const parts = partsOf(version);
  if (scheme === 'php') return (other) => compareParts(parts, partsOf(other));
  if (scheme === 'wordpress') return (other) => comparePadded(parts, partsOf(other));
  return (other) => compareDecimals(parts, partsOf(other));
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
  const compareBounds = (a, b) => comparerOf(span.scheme, a)(b);
  if (span.from_version !== best.from_version) {
    if (best.from_version === null) return true;
    if (span.from_version === null) return false;
    const order = compareBounds(span.from_version, best.from_version);
    if (order !== 0) return order > 0;
  }
  if (span.to_version === null) return false;
  return best.to_version === null || compareBounds(span.to_version, best.to_version) < 0;
}

function partsOf(version) {
  return version
    .trim()
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_+]/g, '.')
    .replace(/(\d)([^\d.])/g, '$1.$2')
    .replace(/([^\d.])(\d)/g, '$1.$2')
    .split('.');
}

function compareParts(a, b) {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const order = comparePart(a[i], b[i]);
    if (order !== 0) return order;
  }
  if (a.length === b.length) return 0;
  const [longer, sign] = a.length > b.length ? [a, 1] : [b, -1];
  return /^\d/.test(longer[shared]) ? sign : sign * comparePart(longer[shared], '#');
}

function comparePadded(a, b) {
  const length = Math.max(a.length, b.length);
  const padded = (parts) => Array.from({ length }, (_, i) => parts[i] || '0');
  return compareParts(padded(a), padded(b));
}

function comparePart(a, b) {
  const isNumber = /^\d+$/.test(a);
  if (isNumber && /^\d+$/.test(b)) return Number(a) - Number(b);
  return rank(a) - rank(b);
}

function rank(part) {
  if (/^\d+$/.test(part)) return 4;
  for (const [word, order] of WORDS) if (part.startsWith(word)) return order;
  return UNKNOWN;
}

function compareDecimals(a, b) {
  const length = Math.max(a.length, b.length);
  const padded = (parts, others) =>
    Array.from({ length }, (_, i) => {
      const part = parts[i] ?? '0';
      return /^\d+$/.test(part) ? part.padEnd((others[i] ?? '').length, '0') : part;
    });
  return compareParts(padded(a, b), padded(b, a));
}
