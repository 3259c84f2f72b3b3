// The order of severities.

/** From worst to best; `unknown` is for advisories without a rating. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unknown', 'none'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SEVERITY_TITLES: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unknown: 'Not rated',
  none: 'None',
};

/** The rating of a CVSS score; lower bounds as in CVSS 3.1, section 5. */
export function severityOf(score: number | null | undefined): Severity {
  if (score === null || score === undefined) return 'unknown';
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
}

/** What a member `severity` of an answer means here. */
export function asSeverity(text: string | null | undefined): Severity {
  return SEVERITIES.find((severity) => severity === text) ?? 'unknown';
}

/** Negative if the first is worse. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}
