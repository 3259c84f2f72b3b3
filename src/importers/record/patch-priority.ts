// How urgent a fix is, for sources that rate severity and not urgency.

import type { AdvisoryKind } from '../../index/columns.ts';

const BY_WORD: { readonly [word: string]: 1 | 2 | 3 } = {
  critical: 3,
  high: 3,
  important: 3,
  moderate: 2,
  medium: 2,
  low: 1,
  none: 1,
};
const HIGH_SCORE = 7; // where CVSS 3 and 4 begin "high"
const MEDIUM_SCORE = 4;

/**
 * By the source's word; without one of these, by the score; undefined if nothing is known. Malware is always
 * 3 (high): a malicious package must go, whatever anybody rated.
 */
export function patchPriority(rating: {
  readonly kind?: AdvisoryKind | undefined;
  readonly severity: string;
  readonly score: number | null;
}): 1 | 2 | 3 | undefined {
  if (rating.kind === 'malware') return 3;
  const word = rating.severity.toLowerCase();
  if (Object.hasOwn(BY_WORD, word)) return BY_WORD[word];
  if (rating.score === null) return undefined;
  if (rating.score >= HIGH_SCORE) return 3;
  return rating.score >= MEDIUM_SCORE ? 2 : 1;
}
