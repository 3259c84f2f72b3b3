// The qualitative severity ratings of CVSS, as text and colour.

import { SEVERITY_TITLES, type Severity } from './severity-scale.ts';

/** The word is always there: colour alone says nothing to some. */
export function SeverityBadge({
  severity,
  score,
}: {
  readonly severity: Severity;
  readonly score?: number | undefined;
}) {
  return (
    <span class={`severity ${severity}`}>
      {SEVERITY_TITLES[severity]}
      {score !== undefined && ` ${score.toFixed(1)}`}
    </span>
  );
}
