// The report as JSON: packages with their state and advisories, the plan of updates, and what was left out.

import { cveName, severityOfAdvisory } from '../findings.ts';
import { planUpdates } from '../updates.ts';
import { type Report, STATES } from './report.ts';

export function toJson({ fileName, format, version, rows, notes }: Report): string {
  const { updates, stuck } = planUpdates(rows);
  const document = {
    tool: `vulndex ${version}`,
    file: fileName === '' ? null : fileName,
    format,
    packages: rows.map((row) => {
      const { type, name, version, direct, places } = row.pack;
      const start = { type, name, version, direct, places, state: STATES[row.kind] };
      if (row.kind === 'failed') return { ...start, error: row.error };
      if (row.kind !== 'affected') return start;
      const advisories = row.advisories.map((advisory) => ({
        id: advisory.id,
        title: advisory.title,
        severity: severityOfAdvisory(advisory),
        score: advisory.cvss?.score ?? null,
        cve: advisory.cve ? cveName(advisory.cve) : null,
        ghsa: advisory.ghsa || null,
        exploited: advisory.is_exploited,
        fixed_in: advisory.version_info?.fixed ?? null,
        url: advisory.url,
      }));
      return { ...start, severity: row.severity, update_to: row.updateTo, advisories };
    }),
    updates: updates.map(({ type, name, steps, severity, advisoryCount }) => ({
      type,
      name,
      severity,
      advisories: advisoryCount,
      steps: steps.map(({ pack, to }) => ({ from: pack.version, to })),
    })),
    not_cleared: stuck.map(({ pack, severity, reason }) => ({
      type: pack.type,
      name: pack.name,
      version: pack.version,
      severity,
      reason,
    })),
    left_out: notes,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
