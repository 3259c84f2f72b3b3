// The score and the vector of an advisory, as clients can take them. They sort by the score and fail builds
// from one on, and some of them count a vulnerability without one as nothing, so each has one.

import { type OsvSeverity, severityOf } from '../osv/severity.ts';
import { type Severity, type SeverityFacts, severityFrom } from '../severity.ts';

interface Score {
  readonly value: number;
  /** Whether no source gives it. */
  readonly isEstimate: boolean;
}

/** The most that a severity may mean by the rating scale of CVSS 3: nothing falls below a threshold. */
const MOST: Readonly<Record<Severity, number>> = { none: 0, low: 3.9, medium: 6.9, high: 8.9, critical: 10 };
const WORST = 10;
const BASE_METRICS: Readonly<Record<OsvSeverity['type'], readonly string[]>> = {
  CVSS_V2: ['AV', 'AC', 'Au', 'C', 'I', 'A'],
  CVSS_V3: ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
  CVSS_V4: [], // the pattern has them
};

/**
 * Nobody checks a feed's score. Malware scores the most; a score of 0 counts only if no word for a severity
 * says otherwise.
 */
export function scoreOf(facts: SeverityFacts): Score {
  const { isMalware, score } = facts;
  if (score !== null && score > 0 && !isMalware) return { value: Math.min(score, WORST), isEstimate: false };
  const severity = severityFrom(facts);
  return severity === 'none' && score === 0
    ? { value: 0, isEstimate: false }
    : { value: severity === null ? WORST : MOST[severity], isEstimate: true };
}

/** The vector if every client can read it; over any other, Dependency-Check drops the rest of the report. */
export function usableVector(vector: string | null): string | undefined {
  if (vector === null) return undefined;
  const type = severityOf(vector)?.type;
  if (type === undefined) return undefined;
  const metrics = vector.split('/').map((metric) => metric.slice(0, metric.indexOf(':')));
  return BASE_METRICS[type].every((metric) => metrics.includes(metric)) ? vector : undefined;
}
