// The slow twin of every lookup: a scan of the spans that follows the contract's wording for bounds and fixes
// and knows nothing of positions, trees or orders. Semver is compared by the semver package, the package
// ecosystems' schemes by their twins; the others by their keys, which have their own.

import semver from 'semver';
import type { Advisory, Product } from '../../../src/compiler/advisory.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { productTypeFacts } from '../../../src/index/product-type.ts';
import {
  compareKeys,
  VERSION_SCHEMES,
  type VersionScheme,
  versionKey,
} from '../../../src/index/versions/version-key.ts';
import { isInGrammar, STRICT_TYPES } from '../../../src/index/versions/version-of-type.ts';
import { type OrderTwin, PACKAGE_TWINS } from './package-orders.ts';

const LOOSE = { loose: true };

/** Sign of a compared with b. Requires: versions of the scheme. */
export function compare(scheme: VersionScheme, a: string, b: string): number {
  const strict = strictTwin(scheme);
  return strict !== undefined ? strict.compare(a, b) : compareKeys(keyOf(scheme, a), keyOf(scheme, b));
}

/** Each text is parsed once: the same few are compared repeatedly, and parsing is most of the work. */
function once<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    if (!known.has(text)) known.set(text, read(text));
    return known.get(text) as Value; // set above
  };
}

const parsed = once((version) => semver.parse(inFull(version), LOOSE));
/** The other schemes take any text with a letter or a digit, and are compared by their keys. */
type StrictScheme = Exclude<VersionScheme, 'php' | 'decimal' | 'wordpress'>;

/**
 * What orders a strict scheme here; `npm run types` asks for a row for each new one. A lower bound of 0 is
 * none.
 */
const STRICT_TWINS: Readonly<Record<StrictScheme, OrderTwin>> = {
  semver: { isVersion: (text) => parsed(text) !== null, compare: (a, b) => parsed(a)!.compare(parsed(b)!) },
  ...PACKAGE_TWINS,
};

function strictTwin(scheme: VersionScheme): OrderTwin | undefined {
  return (STRICT_TWINS as Partial<Record<VersionScheme, OrderTwin>>)[scheme];
}

const KEYS = new Map(
  VERSION_SCHEMES.map((scheme) => [scheme, once((version) => versionKey(scheme, version)!)] as const),
);

const keyOf = (scheme: VersionScheme, version: string): Uint8Array => KEYS.get(scheme)!(version);

/** The short forms that node-semver does not accept. */
export function inFull(version: string): string {
  const parts = version.split('.').length;
  return /^[\d.]+$/.test(version) && parts < 3 ? version + '.0'.repeat(3 - parts) : version;
}

export function isOrdered(scheme: VersionScheme, version: string): boolean {
  return strictTwin(scheme)?.isVersion(version) ?? true;
}

/** By the type alone, regardless of the product's schemes. */
export function isVersion({ type }: Pick<Product, 'type'>, version: string): boolean {
  const { scheme, code } = productTypeFacts(type);
  if (!isInGrammar(code, version)) return false;
  return STRICT_TYPES[code] ? isOrdered(scheme, version) : /[a-z0-9]/i.test(version);
}

/** Null also for a bound that means "from the first version on": the text 0, or what equals it in semver. */
function lowerBoundOf(scheme: VersionScheme, from: string | null): string | null {
  if (from === null || strictTwin(scheme) === undefined) return from;
  const isZero =
    scheme === 'semver' ? isOrdered(scheme, from) && compare(scheme, from, '0') === 0 : from === '0';
  return isZero ? null : from;
}

/** The version, and before it, as that counts first, what is left without a local part. */
function askedForms(scheme: VersionScheme, version: string): readonly string[] {
  const hasLocal = scheme === 'pep440' && version.includes('+') && isOrdered(scheme, version);
  return hasLocal ? [version.replace(/\+.*/, ''), version] : [version];
}

/** Whether a look-up of the version finds the span. Requires: as `contains`. */
export function holds(scheme: VersionScheme, span: Span, version: string): boolean {
  return askedForms(scheme, version).some((form) => contains(scheme, span, form));
}

/** Whether the span contains the version. Requires: bounds of the scheme, but for one text at both ends. */
function contains(scheme: VersionScheme, { from, to, toBound }: Span, version: string): boolean {
  const lower = lowerBoundOf(scheme, from);
  if (lower === null && to === null) return true;
  if (from !== null && from === to && !isOrdered(scheme, from)) {
    return from.trim().toLowerCase() === version.trim().toLowerCase();
  }
  if (!isOrdered(scheme, version)) return false;
  if (lower !== null && compare(scheme, version, lower) < 0) return false;
  if (to === null) return true;
  const order = compare(scheme, version, to);
  return toBound === 'exclusive' ? order < 0 : order <= 0;
}

/** Orders spans by how closely they enclose a version: a greater lower bound, then a lesser upper bound. */
function compareAnswers(scheme: VersionScheme, a: Span, b: Span): number {
  const low = compareNullable(scheme, lowerBoundOf(scheme, a.from), lowerBoundOf(scheme, b.from), -1);
  if (low !== 0) return low;
  const high = compareNullable(scheme, a.to, b.to, 1);
  if (high !== 0) return -high;
  return a.to === null ? 0 : Number(a.toBound === 'exclusive') - Number(b.toBound === 'exclusive');
}

/** `sign` is how a missing bound compares with a present one. */
function compareNullable(scheme: VersionScheme, a: string | null, b: string | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? sign : -sign;
  return compare(scheme, a, b);
}

export interface Found {
  readonly id: number;
  readonly span: Span;
}

export interface Lookup {
  readonly product: Product;
  readonly version: string;
}

/** What applies, ids descending; undefined when the text is not a version. */
export function scan(advisories: readonly Advisory[], { product, version }: Lookup): Found[] | undefined {
  const published = advisories.filter(
    (advisory) =>
      advisory.withdrawnAt === null &&
      advisory.product.type === product.type &&
      advisory.product.slug === product.slug,
  );
  const { takesLiterals } = productTypeFacts(product.type);
  if (!isVersion(product, version) && !takesLiterals) return undefined;
  const found = published
    .flatMap((advisory) => {
      const span = askedForms(advisory.versionScheme, version)
        .map((form) => answeringSpan(advisory, form))
        .find((answer) => answer !== undefined);
      return span === undefined
        ? []
        : [{ id: advisory.id, span: { ...span, fixedIn: effectiveFix(advisory, span) } }];
    })
    .sort((a, b) => b.id - a.id);
  return found.length > 0 || isVersion(product, version) ? found : undefined;
}

/** Of the spans that contain the version, the one to report; of equal ones the first in the feed. */
function answeringSpan({ versionScheme, spans }: Advisory, version: string): Span | undefined {
  let best: Span | undefined;
  for (const span of spans) {
    if (!contains(versionScheme, span, version)) continue;
    if (best === undefined || compareAnswers(versionScheme, span, best) > 0) best = span;
  }
  return best;
}

/** A span's fix, followed from span to span until it is outside all of them or there is none. */
export function effectiveFix(advisory: Advisory, { fixedIn }: Span): string | null {
  const seen = new Set<string>();
  let fix = fixedIn;
  while (fix !== null && isOrdered(advisory.versionScheme, fix)) {
    const holder = answeringSpan(advisory, fix);
    if (holder === undefined) return fix;
    if (seen.has(fix)) return null;
    seen.add(fix);
    fix = holder.fixedIn;
  }
  return fix;
}

/**
 * The version to update to, by trying every version that the product's data mentions; from null, the lowest
 * of all. Requires: advisories of one product and one scheme; the queried text is a version.
 */
export function scanForUpdate(
  advisories: readonly Advisory[],
  product: Product,
  version: string | null,
): string | null {
  const [first] = advisories;
  if (first === undefined) return null;
  const scheme = first.versionScheme;
  if (version !== null && (scan(advisories, { product, version })?.length ?? 0) === 0) return null;
  if (version !== null && !isOrdered(scheme, version)) return null;
  const named = advisories
    .flatMap((advisory) =>
      advisory.spans.flatMap((span) => [span.from, span.to, effectiveFix(advisory, span)]),
    )
    .filter((text): text is string => text !== null && isOrdered(scheme, text))
    .filter((text) => version === null || compare(scheme, text, version) >= 0)
    .filter((text) =>
      advisories.every((each) => each.withdrawnAt !== null || answeringSpan(each, text) === undefined),
    );
  let lowest: string | undefined;
  for (const text of named) {
    const order = lowest === undefined ? -1 : compare(scheme, text, lowest);
    // Of equal versions, the first in byte order.
    if (order < 0 || (order === 0 && Buffer.compare(Buffer.from(text), Buffer.from(lowest ?? '')) < 0)) {
      lowest = text;
    }
  }
  return lowest ?? null;
}
