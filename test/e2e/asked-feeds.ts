// What clients conclude that compare versions themselves: from the Wordfence feed by the flags of each range,
// from WPScan's lists by PHP's order.

import { compare } from '../support/oracles/linear-scan.ts';

interface FeedRange {
  readonly from_version: string;
  readonly from_inclusive: boolean;
  readonly to_version: string;
  readonly to_inclusive: boolean;
}

interface FeedRecord {
  readonly software: readonly {
    readonly type: string;
    readonly slug: string;
    readonly affected_versions: Readonly<Record<string, FeedRange>>;
  }[];
}

/** The Wordfence feed by type and slug. */
export class WordfenceReader {
  readonly #ranges = new Map<string, { readonly uuid: string; readonly ranges: readonly FeedRange[] }[]>();

  constructor(feed: unknown) {
    for (const [uuid, { software }] of Object.entries(feed as Readonly<Record<string, FeedRecord>>)) {
      for (const { type, slug, affected_versions } of software) {
        const key = `${type} ${slug}`;
        const known = this.#ranges.get(key) ?? [];
        known.push({ uuid, ranges: Object.values(affected_versions) });
        this.#ranges.set(key, known);
      }
    }
  }

  /** The uuids of the records that apply, each once, sorted. */
  find(type: string, slug: string, version: string): string[] {
    const known = this.#ranges.get(`${type === 'wordpress' ? 'core' : type} ${slug}`) ?? [];
    const applying = known.filter(({ ranges }) => ranges.some((range) => isInside(version, range)));
    return [...new Set(applying.map(({ uuid }) => uuid))].sort();
  }
}

function isInside(version: string, range: FeedRange): boolean {
  const { from_version, from_inclusive, to_version, to_inclusive } = range;
  if (from_version !== '*') {
    const order = compare('wordpress', version, from_version);
    if (from_inclusive ? order < 0 : order <= 0) return false;
  }
  if (to_version === '*') return true;
  const order = compare('wordpress', version, to_version);
  return to_inclusive ? order <= 0 : order < 0;
}

/** An entry of a WPScan list. */
export interface WpscanEntry {
  readonly id: string;
  readonly introduced_in: string | null;
  readonly fixed_in: string | null;
}

/** Whether a client shows the entry for a version. */
export function isShown({ introduced_in, fixed_in }: WpscanEntry, version: string): boolean {
  if (introduced_in !== null && compare('php', version, introduced_in) < 0) return false;
  return fixed_in === null || compare('php', version, fixed_in) < 0;
}
