// The report as SARIF 2.1.0, for tools that collect findings: a rule for each advisory, a result for each
// affected package and advisory. Packages without an answer are notifications, so that a report with gaps
// says so.

import type { Severity } from '../../parts/severity-scale.ts';
import { webAddress } from '../../parts/web-address.ts';
import type { Advisory } from '../answer.ts';
import { type AffectedRow, cveName, severityOfAdvisory } from '../findings.ts';
import type { Report } from './report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  unknown: 'warning',
  low: 'note',
  none: 'note',
};

export function toSarif({ fileName, version, rows }: Report): string {
  const rules = new Map<number, { readonly index: number; readonly rule: object }>();
  const results: object[] = [];
  const uri = encodeURIComponent(fileName === '' ? 'inventory' : fileName);
  for (const row of rows) {
    if (row.kind !== 'affected') continue;
    for (const advisory of row.advisories) {
      let known = rules.get(advisory.id);
      if (known === undefined) {
        known = { index: rules.size, rule: ruleOf(advisory) };
        rules.set(advisory.id, known);
      }
      results.push(resultOf(row, advisory, known.index, uri));
    }
  }
  const gaps = rows.filter(({ kind }) => kind === 'failed' || kind === 'waiting');
  const run = {
    tool: { driver: { name: 'vulndex', version, rules: [...rules.values()].map(({ rule }) => rule) } },
    invocations: [
      {
        executionSuccessful: gaps.length === 0,
        toolExecutionNotifications: gaps.map((row) => ({
          level: 'error',
          message: {
            text: `${labelOf(row.pack)}: ${row.kind === 'failed' ? row.error.message : 'was not asked.'}`,
          },
        })),
      },
    ],
    results,
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, undefined, 2)}\n`;
}

/** The server's own number: a CVE may have one advisory for each of several packages. */
function ruleIdOf({ id }: Advisory): string {
  return `vulndex-${id}`;
}

function ruleOf(advisory: Advisory): object {
  const { title, url, cve, ghsa, cvss } = advisory;
  const help = webAddress(url);
  const score = cvss?.score;
  return {
    id: ruleIdOf(advisory),
    name: cve ? cveName(cve) : ghsa || ruleIdOf(advisory),
    shortDescription: { text: title },
    ...(help === undefined ? {} : { helpUri: help }),
    defaultConfiguration: { level: LEVELS[severityOfAdvisory(advisory)] },
    properties: {
      tags: ['security', 'vulnerability'],
      // The member by which code hosts sort security findings: a text.
      ...(typeof score === 'number' ? { 'security-severity': score.toFixed(1) } : {}),
    },
  };
}

function resultOf(
  { pack, updateTo }: AffectedRow,
  advisory: Advisory,
  ruleIndex: number,
  uri: string,
): object {
  const remedy = updateTo === null ? 'No version is known that clears everything.' : `Update to ${updateTo}.`;
  return {
    ruleId: ruleIdOf(advisory),
    ruleIndex,
    level: LEVELS[severityOfAdvisory(advisory)],
    message: { text: `${labelOf(pack)}: ${advisory.title}. ${remedy}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri } },
        logicalLocations: [{ fullyQualifiedName: labelOf(pack), kind: 'package' }],
      },
    ],
    partialFingerprints: { 'vulndex/v1': `${advisory.id}:${labelOf(pack)}` },
  };
}

function labelOf({ type, name, version }: AffectedRow['pack']): string {
  return `${type} ${name}@${version}`;
}
