// What a record says where no source knows better. Put in after sources are merged, so that it never stands
// in for a fact.

import type { FeedRecord } from './feed-schema.ts';

/** Required members that a source may not know. */
export const DEFAULTED = ['title', 'disclosed_at', 'vuln_type'] as const;
export type Defaulted = (typeof DEFAULTED)[number];

/**
 * The kind of vulnerability if nobody names it. Records of earlier imports have it too, so it counts as no
 * value.
 */
export const UNSPECIFIED = 'Unspecified';

/** What a checked record has for members that it may leave out. */
export const STAND_INS: Readonly<Record<Defaulted, string>> = {
  title: '-',
  disclosed_at: '1970-01-01T00:00:00Z',
  vuln_type: UNSPECIFIED,
};

type Incomplete = Partial<Pick<FeedRecord, Defaulted>> &
  Omit<FeedRecord, Defaulted | 'id' | 'created_at' | 'product'>;

/** The record with every required member. Requires: one without a date says when it was modified. */
export function withDefaults<Record extends Incomplete>(
  record: Record,
): Record & Pick<FeedRecord, Defaulted> {
  return {
    ...record,
    title: record.title ?? record.source_id ?? record.url,
    disclosed_at: record.disclosed_at ?? record.modified_at ?? STAND_INS.disclosed_at,
    vuln_type: record.vuln_type ?? UNSPECIFIED,
  };
}
