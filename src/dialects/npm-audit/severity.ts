// The severity of an advisory in the words of npm. A client that reads any other word says that a package is clean.

import { ADVISORY_KINDS, kindCode } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';

/** Ascending, as npm counts them. */
export const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const MALWARE = ADVISORY_KINDS.indexOf('malware');
const UNRATED: Severity = 'moderate';

/** What sources write, in lower case. A word that is not here, such as `none`, says nothing. */
const LABELS: ReadonlyMap<string, Severity> = new Map([
  ...SEVERITIES.map((word) => [word, word] as const),
  ['informational', 'info'],
  ['medium', 'moderate'],
]);

/** By what is known: that it is malware, the source's label, the CVSS score. */
export function severityOf(generation: Generation, ordinal: number, score: number | null): Severity {
  const { advisoryFlags, advisorySeverity } = generation.parts.columns;
  if (kindCode(advisoryFlags[ordinal]) === MALWARE) return 'critical';
  const label = generation.records.termAt(advisorySeverity[ordinal]) as string; // a term of text: docs/snapshot-format.md
  return LABELS.get(label.trim().toLowerCase()) ?? severityOfScore(score);
}

/** The rating scale of CVSS 3, whose lowest word npm does not have. */
export function severityOfScore(score: number | null): Severity {
  if (score === null) return UNRATED;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'moderate' : 'low';
}
