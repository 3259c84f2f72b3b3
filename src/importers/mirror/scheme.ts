// Which order the versions of an advisory follow. The API does not say it, but its answers show it: spans
// ascend, none is empty, a fix is outside of them, and `fixed` is the highest one.

import { isEmptySpan } from '../../index/lookup/interval.ts';
import { type ProductType, productTypeFacts } from '../../index/product-type.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import type { FeedSpan } from '../record/feed-schema.ts';
import { SpanCover } from '../record/span-cover.ts';

/** The default first: most answers fit all of them. */
const CANDIDATES: readonly VersionScheme[] = ['wordpress', 'php', 'decimal'];

/** What a scheme makes of an advisory's text. */
export interface Reading {
  readonly scheme: VersionScheme;
  /** In the order of the text, with their fixes. */
  readonly spans: readonly FeedSpan[];
  readonly hasBad: boolean;
}

/**
 * The first reading that fits what the server says, or the first of all. `readAs` reads the text under a
 * scheme.
 */
export function fittingReading<Any extends Reading>(
  type: ProductType,
  fixed: string,
  readAs: (scheme: VersionScheme) => Any,
): Any {
  const { scheme, allowsOtherSchemes } = productTypeFacts(type);
  const first = readAs(scheme);
  if (!allowsOtherSchemes || fits(first, fixed)) return first;
  for (const candidate of CANDIDATES) {
    const reading = readAs(candidate);
    if (fits(reading, fixed)) return reading;
  }
  return first;
}

function fits({ scheme, spans, hasBad }: Reading, fixed: string): boolean {
  if (hasBad || spans.some((span) => isEmpty(span, scheme))) return false;
  const key = (version: string | null): Uint8Array | undefined =>
    version === null ? undefined : versionKey(scheme, version);
  for (let i = 1; i < spans.length; i++) if (compareSpans(spans[i - 1], spans[i], key) > 0) return false;
  const fixes = spans.map(({ fixed_in: fix }) => fix).filter((fix) => fix !== null);
  const affected = new SpanCover(spans, scheme);
  const end = key(fixed);
  for (const fix of fixes) {
    const at = key(fix);
    if (at !== undefined && affected.contains(at)) return false;
    if (at !== undefined && end !== undefined && compareKeys(at, end) > 0) return false;
  }
  return true;
}

type KeyOf = (version: string | null) => Uint8Array | undefined;

function isEmpty(span: FeedSpan, scheme: VersionScheme): boolean {
  const { from_version: from, to_version: to, to_bound: toBound, fixed_in: fixedIn } = span;
  return isEmptySpan({ from, to, toBound, fixedIn }, scheme);
}

/** By lower end, then by upper end. */
function compareSpans(a: FeedSpan, b: FeedSpan, key: KeyOf): number {
  const [lowA, lowB] = [key(a.from_version), key(b.from_version)];
  const low = lowA === undefined || lowB === undefined ? presence(lowA, lowB) : compareKeys(lowA, lowB);
  if (low !== 0) return low;
  const [highA, highB] = [key(a.to_version), key(b.to_version)];
  if (highA === undefined || highB === undefined) return -presence(highA, highB);
  const high = compareKeys(highA, highB);
  return high !== 0 ? high : Number(a.to_bound !== 'exclusive') - Number(b.to_bound !== 'exclusive');
}

/** How an absent bound compares with a present one, as a lower end. */
function presence(a: Uint8Array | undefined, b: Uint8Array | undefined): number {
  return Number(a !== undefined) - Number(b !== undefined);
}
