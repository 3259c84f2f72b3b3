// How severe an advisory is, by what is known of it: that it is malware, the label of its source, its CVSS
// score. Dialects whose clients know other words map these.

import { ADVISORY_KINDS, kindCode } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import type { TermSource } from './remembered-terms.ts';

/** Ascending: the words of CVSS 3. */
export const SEVERITIES = ['none', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const MALWARE = ADVISORY_KINDS.indexOf('malware');

/** What sources write, in lower case. */
const LABELS: ReadonlyMap<string, Severity> = new Map([
  ...SEVERITIES.map((word) => [word, word] as const),
  ['moderate', 'medium'],
]);

/** What decides; see `severityFrom`. */
export interface SeverityFacts {
  readonly isMalware: boolean;
  /** The source's word, trimmed and in lower case; '' for none. */
  readonly label: string;
  readonly score: number | null;
}

/** What is known of an advisory whose CVSS score the caller has. */
export function severityFacts(
  generation: Generation,
  ordinal: number,
  score: number | null,
  terms: TermSource = generation.records,
): SeverityFacts {
  const { advisoryFlags } = generation.parts.columns;
  const label = generation.traitAt('traitsSeverity', ordinal, terms);
  return {
    isMalware: kindCode(advisoryFlags[ordinal]) === MALWARE,
    label: label.trim().toLowerCase(),
    score,
  };
}

/**
 * Malware is critical; then the source's label counts, if it is a word for a severity; then the score. Null
 * without any; with a score below 0, sources say that they have none.
 */
export function severityFrom({ isMalware, label, score }: SeverityFacts): Severity | null {
  if (isMalware) return 'critical';
  return severityOfLabel(label) ?? (score === null || score < 0 ? null : severityOfScore(score));
}

/** Undefined for any other word. */
export function severityOfLabel(label: string): Severity | undefined {
  return LABELS.get(label);
}

/** By the rating scale of CVSS 3. */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
}
