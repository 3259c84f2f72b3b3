// Packages, advisories and rows as tests of the inventory need them.

import type { Advisory } from '../../../src/console/inventory/answer.ts';
import { answeredRow, type Row } from '../../../src/console/inventory/findings.ts';
import type { Declaration, Package } from '../../../src/inventory/inventory.ts';

export function packageOf(name: string, version: string, more: Partial<Package> = {}): Package {
  const declarations = [declarationOf(name)];
  return {
    type: 'npm',
    name,
    version,
    direct: true,
    declarations,
    ranges: [],
    places: [],
    placeCount: 0,
    ...more,
  };
}

export function declarationOf(alias: string, workspace = '', isLinked = false): Declaration {
  return { alias, workspace, isLinked };
}

export function advisoryOf(id: number, score: number | null, more: Partial<Advisory> = {}): Advisory {
  return {
    id,
    title: `Advisory ${id}`,
    url: `https://advisories.example/${id}`,
    cve: `2026-${id}`,
    ghsa: '',
    is_exploited: false,
    cvss: score === null ? null : { score },
    vuln_type: 'XSS',
    version_info: { fixed: '9.0.0' },
    ...more,
  };
}

/** Affected by advisories of those scores, or clear. */
export function rowOf(pack: Package, updateTo: string | null, ...scores: number[]): Row {
  const vulnerabilities = scores.map((score, i) => advisoryOf(i + 1, score));
  return answeredRow(pack, 0, { vulnerabilities, update_to: updateTo });
}
