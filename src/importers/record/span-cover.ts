// Which versions the spans of a feed record affect, for sources that must tell where a fix lies. A record may
// have ten thousand of both, so no version is compared with every span.

import { partitionPoint } from '../../index/lookup/search.ts';
import { compareKeys, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';
import type { FeedSpan } from './feed-schema.ts';

interface Range {
  /** Undefined for an open end. */
  readonly low: Uint8Array | undefined;
  readonly high: Uint8Array | undefined;
  readonly isClosed: boolean;
}

export class SpanCover {
  /** By lower ends; each has the furthest upper end of those up to it. */
  readonly #ranges: readonly Range[];

  /** A bound that is not a version of the scheme counts as open. */
  constructor(spans: readonly FeedSpan[], scheme: VersionScheme) {
    const keyOf = (version: string | null): Uint8Array | undefined =>
      version === null ? undefined : versionKey(scheme, version);
    const ranges = spans.map(
      ({ from_version, to_version, to_bound }): Range => ({
        low: keyOf(from_version),
        high: keyOf(to_version),
        isClosed: to_bound !== 'exclusive',
      }),
    );
    let furthest: Range | undefined;
    this.#ranges = ranges.sort(compareLows).map((range) => {
      if (furthest === undefined || reachesFurther(range, furthest)) furthest = range;
      return { ...range, high: furthest.high, isClosed: furthest.isClosed };
    });
  }

  /** Whether any span contains the version. Requires: its key under the same scheme. */
  contains(key: Uint8Array): boolean {
    const ranges = this.#ranges;
    const above = partitionPoint(0, ranges.length, (i) => {
      const { low } = ranges[i];
      return low !== undefined && compareKeys(low, key) > 0;
    });
    if (above === 0) return false;
    const { high, isClosed } = ranges[above - 1];
    const order = high === undefined ? -1 : compareKeys(key, high);
    return order < 0 || (order === 0 && isClosed);
  }
}

function compareLows({ low: a }: Range, { low: b }: Range): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareKeys(a, b);
}

function reachesFurther(a: Range, b: Range): boolean {
  if (a.high === undefined || b.high === undefined) return b.high !== undefined;
  return (compareKeys(a.high, b.high) || Number(a.isClosed) - Number(b.isClosed)) > 0;
}
