// The order of spans, and which versions they cover: where a fix lies, and which versions need no word of
// their own. A record may have ten thousand of both, so no version is compared with every span.

import { partitionPoint } from '../../index/lookup/search.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import type { FeedSpan } from './feed-schema.ts';

/** A span with the keys of its bounds under one scheme; null for an open end. */
export interface KeyedSpan {
  readonly span: FeedSpan;
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
}

/** A bound that is not a version of the scheme counts as open. */
export function keyedSpan(span: FeedSpan, scheme: VersionScheme): KeyedSpan {
  const keyOf = (version: string | null): Uint8Array | null =>
    version === null ? null : (versionKey(scheme, version) ?? null);
  return { span, from: keyOf(span.from_version), to: keyOf(span.to_version) };
}

/** By lower bounds, then by upper ones. */
export function compareSpans(a: KeyedSpan, b: KeyedSpan): number {
  return compareBounds(a.from, b.from, -1) || compareEnds(a, b);
}

function compareEnds(a: KeyedSpan, b: KeyedSpan): number {
  const order = compareBounds(a.to, b.to, 1);
  return order !== 0 || a.to === null ? order : Number(isClosed(a)) - Number(isClosed(b));
}

/** `unbounded` is the sign of a missing bound: -1 below all versions, 1 above. */
function compareBounds(a: Uint8Array | null, b: Uint8Array | null, unbounded: -1 | 1): number {
  if (a !== null && b !== null) return compareKeys(a, b);
  return (Number(a === null) - Number(b === null)) * unbounded;
}

function isClosed({ span }: KeyedSpan): boolean {
  return span.to_bound !== 'exclusive';
}

export class SpanCover {
  /** By lower bounds. */
  readonly #spans: readonly KeyedSpan[];
  /** Of those up to each, the one that reaches furthest. */
  readonly #furthest: readonly KeyedSpan[];

  constructor(spans: readonly KeyedSpan[]) {
    this.#spans = spans.toSorted(compareSpans);
    let furthest: KeyedSpan | undefined;
    this.#furthest = this.#spans.map((span) => {
      if (furthest === undefined || compareEnds(span, furthest) > 0) furthest = span;
      return furthest;
    });
  }

  /** Whether any span contains the version. Requires: its key under the same scheme. */
  contains(key: Uint8Array): boolean {
    const spans = this.#spans;
    const above = partitionPoint(0, spans.length, (i) => {
      const { from } = spans[i];
      return from !== null && compareKeys(from, key) > 0;
    });
    if (above === 0) return false;
    const furthest = this.#furthest[above - 1];
    const order = furthest.to === null ? -1 : compareKeys(key, furthest.to);
    return order < 0 || (order === 0 && isClosed(furthest));
  }
}
