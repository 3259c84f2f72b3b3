// The report as CSV (RFC 4180): a line for each package and advisory. Spreadsheets take a cell that begins
// with = + - @ or a tab for a formula, so such cells get an apostrophe in front, also the names of scoped
// packages.

import { cveName, severityOfAdvisory } from '../findings.ts';
import { type Report, STATES } from './report.ts';

const COLUMNS = [
  'type',
  'name',
  'version',
  'direct',
  'where',
  'state',
  'update_to',
  'severity',
  'score',
  'exploited',
  'id',
  'cve',
  'ghsa',
  'title',
  'fixed_in',
  'url',
];

export function toCsv({ rows }: Report): string {
  const lines = [COLUMNS.join(',')];
  for (const row of rows) {
    const { type, name, version, direct, places } = row.pack;
    const start = [
      type,
      name,
      version,
      direct === null ? '' : yesNo(direct),
      places.join('; '),
      STATES[row.kind],
    ];
    if (row.kind !== 'affected') {
      const why = row.kind === 'failed' ? row.error.message : '';
      lines.push(lineOf([...start, '', '', '', '', '', '', '', why, '', '']));
      continue;
    }
    for (const advisory of row.advisories) {
      const { id, cve, ghsa, title, url, cvss, is_exploited, version_info } = advisory;
      lines.push(
        lineOf([
          ...start,
          row.updateTo ?? '',
          severityOfAdvisory(advisory),
          String(cvss?.score ?? ''),
          yesNo(is_exploited),
          String(id),
          cve ? cveName(cve) : '',
          ghsa ?? '',
          title,
          version_info?.fixed ?? '',
          url,
        ]),
      );
    }
  }
  return `${lines.join('\r\n')}\r\n`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function lineOf(cells: readonly string[]): string {
  return cells.map(cellOf).join(',');
}

function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
