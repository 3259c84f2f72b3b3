// Which order the versions of an advisory follow. The API does not say it, but its answers show it: spans
// ascend, none is empty, a fix is outside of them, and `fixed` is the highest one.

import { isEmptySpan } from '../../index/lookup/interval.ts';
import { type ProductType, productTypeFacts } from '../../index/product-type.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import type { FeedSpan } from '../record/feed-schema.ts';
import { compareSpans, keyedSpan, SpanCover } from '../record/span-cover.ts';

/** The default first: most answers fit all of them. */
const CANDIDATES: readonly VersionScheme[] = ['wordpress', 'php', 'decimal'];

/** What a scheme makes of an advisory's text. */
interface Reading {
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
  const keyed = spans.map((span) => keyedSpan(span, scheme));
  if (keyed.some((span, i) => i > 0 && compareSpans(keyed[i - 1], span) > 0)) return false;
  const fixes = spans.map(({ fixed_in: fix }) => fix).filter((fix) => fix !== null);
  const affected = new SpanCover(keyed);
  const end = versionKey(scheme, fixed);
  for (const fix of fixes) {
    const at = versionKey(scheme, fix);
    if (at !== undefined && affected.contains(at)) return false;
    if (at !== undefined && end !== undefined && compareKeys(at, end) > 0) return false;
  }
  return true;
}

function isEmpty(span: FeedSpan, scheme: VersionScheme): boolean {
  const { from_version: from, to_version: to, to_bound: toBound, fixed_in: fixedIn } = span;
  return isEmptySpan({ from, to, toBound, fixedIn }, scheme);
}
