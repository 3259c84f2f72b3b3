// Facts that only some advisories have: when the source changed it, what kind it is, how likely and since
// when it is exploited. The last two are sparse tables, searched by ordinal.

import {
  ADVISORY_KINDS,
  type AdvisoryKind,
  type IndexColumns,
  kindCode,
  numberOf,
  saysModified,
} from '../columns.ts';
import { partitionPoint } from '../lookup/search.ts';

/** The Exploit Prediction Scoring System's rating: both in 0..1, as whole multiples of 1 / EPSS_ONE. */
export interface EpssRating {
  readonly score: number;
  readonly percentile: number;
}

export function kindOf({ advisoryFlags }: IndexColumns, ordinal: number): AdvisoryKind {
  return ADVISORY_KINDS[kindCode(advisoryFlags[ordinal])];
}

/** Epoch seconds: when the source last changed it; undefined if the source does not say. */
export function modifiedAt(columns: IndexColumns, ordinal: number): number | undefined {
  const { advisoryModifiedAt, advisoryFlags } = columns;
  if (!saysModified(advisoryFlags[ordinal])) return undefined;
  return numberOf(columns, advisoryModifiedAt[ordinal]);
}

export function epssOf(columns: IndexColumns, ordinal: number): EpssRating | undefined {
  const { epssAdvisory, epssScore, epssPercentile } = columns;
  const row = findOrdinal(epssAdvisory, ordinal);
  return row === undefined ? undefined : { score: epssScore[row], percentile: epssPercentile[row] };
}

/**
 * Days from 1970-01-01 to the advisory's entry in CISA's Known Exploited Vulnerabilities catalogue, or
 * undefined.
 */
export function kevDayOf({ kevAdvisory, kevDate }: IndexColumns, ordinal: number): number | undefined {
  const row = findOrdinal(kevAdvisory, ordinal);
  return row === undefined ? undefined : kevDate[row];
}

/** Requires: ascending ordinals. */
function findOrdinal(ordinals: Uint32Array, ordinal: number): number | undefined {
  const row = partitionPoint(0, ordinals.length, (i) => ordinals[i] >= ordinal);
  return ordinals[row] === ordinal ? row : undefined;
}
