// The severity of an advisory in the words of npm. A client that reads any other word says that a package is
// clean.

import type { Generation } from '../../index/generation.ts';
import { type Severity as Rating, severityFacts, severityFrom } from '../severity.ts';

/** Ascending, as npm counts them. */
export const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const UNRATED: Severity = 'moderate';

/** npm has no word for none. */
const WORDS: Readonly<Record<Rating, Severity>> = {
  none: 'low',
  low: 'low',
  medium: 'moderate',
  high: 'high',
  critical: 'critical',
};

/** Labels that mean the one word that only npm has. */
const INFO: readonly string[] = ['info', 'informational'];

/**
 * By what is known: that it is malware, the source's label, the CVSS score. The label `none` says nothing
 * here.
 */
export function severityOf(generation: Generation, ordinal: number, score: number | null): Severity {
  const facts = severityFacts(generation, ordinal, score);
  if (!facts.isMalware && INFO.includes(facts.label)) return 'info';
  const rating = severityFrom(facts.label === 'none' ? { ...facts, label: '' } : facts);
  return rating === null ? UNRATED : WORDS[rating];
}
