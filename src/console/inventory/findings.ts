// The packages with what the server said about them: the rows of the table, their order, and which of them a
// text selects.

import { versionForTool } from '../../index/product-type.ts';
import type { Package } from '../../inventory/inventory.ts';
import { compareSeverity, type Severity, severityOf } from '../parts/severity-scale.ts';
import type { Advisory, ItemAnswer, ItemError } from './answer.ts';

interface RowBase {
  readonly position: number;
  readonly pack: Package;
}

export type Row = RowBase &
  (
    | { readonly kind: 'waiting' }
    | { readonly kind: 'failed'; readonly error: ItemError }
    | { readonly kind: 'clear' }
    | {
        readonly kind: 'affected';
        /** From worst to best. */
        readonly advisories: readonly Advisory[];
        readonly severity: Severity;
        /** The lowest known version that no advisory applies to. */
        readonly updateTo: string | null;
      }
  );

export type AffectedRow = Extract<Row, { kind: 'affected' }>;

export function waitingRow(pack: Package, position: number): Row {
  return { kind: 'waiting', position, pack };
}

export function answeredRow(pack: Package, position: number, answer: ItemAnswer): Row {
  const { error, vulnerabilities, update_to } = answer;
  if (error !== undefined) return { kind: 'failed', position, pack, error };
  if (!Array.isArray(vulnerabilities)) {
    const unknown = {
      code: 'unknown_answer',
      message: 'The form of the server’s answer is not the expected one.',
    };
    return { kind: 'failed', position, pack, error: unknown };
  }
  if (vulnerabilities.length === 0) return { kind: 'clear', position, pack };
  const advisories = vulnerabilities.toSorted(
    (a: Advisory, b: Advisory) =>
      compareSeverity(severityOfAdvisory(a), severityOfAdvisory(b)) || scoreOf(b) - scoreOf(a) || b.id - a.id,
  );
  const severity = severityOfAdvisory(advisories[0]);
  const isCleared = typeof update_to === 'string' && !advisories.some(isMalware);
  const updateTo = isCleared ? versionForTool(pack.type, pack.name, update_to) : null;
  return { kind: 'affected', position, pack, advisories, severity, updateTo };
}

/**
 * Whether the package itself is malicious, and not some releases of it: then no version of it is to be
 * installed.
 */
export function isMalware({ vuln_type, matched_range }: Advisory): boolean {
  return vuln_type === 'Malicious Package' && matched_range?.from_version === null;
}

export function severityOfAdvisory({ cvss }: Advisory): Severity {
  return severityOf(cvss?.score);
}

function scoreOf({ cvss }: Advisory): number {
  return cvss?.score ?? 0;
}

/** Whether asking again may help: a version that is not one stays so. */
export function isOpen(row: Row): boolean {
  return row.kind === 'waiting' || (row.kind === 'failed' && row.error.code !== 'invalid_version');
}

export const SORTS = ['severity', 'fix', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/**
 * By name; or affected rows first, in the order of their severity or fix, then failed ones. The others stay
 * in the order of the inventory: there may be 200,000, and this is done a few times a second.
 */
export function sortRows(rows: readonly Row[], sort: Sort): readonly Row[] {
  if (sort === 'name') return rows.toSorted(byName);
  const of = (kind: Row['kind']): Row[] => rows.filter((row) => row.kind === kind);
  const affected = rows.filter((row) => row.kind === 'affected');
  return [...sortAffected(affected, sort), ...of('failed').sort(byName), ...of('waiting'), ...of('clear')];
}

function sortAffected(rows: AffectedRow[], sort: Sort): AffectedRow[] {
  const fixRank = (row: AffectedRow): number => (row.updateTo === null ? 1 : 0);
  return rows.sort((a, b) => {
    const fix = sort === 'fix' ? fixRank(a) - fixRank(b) : 0;
    const count = b.advisories.length - a.advisories.length;
    return fix || compareSeverity(a.severity, b.severity) || count || byName(a, b);
  });
}

function byName(a: Row, b: Row): number {
  return (
    compareText(a.pack.name, b.pack.name) ||
    compareText(a.pack.version, b.pack.version) ||
    a.position - b.position
  );
}

/** By code unit: the same on every machine, and far faster than by locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The rows whose name, version or advisories contain the text, in any case. */
export function filterRows(rows: readonly Row[], text: string, onlyAffected: boolean): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter((row) => {
    if (onlyAffected && (row.kind === 'clear' || row.kind === 'waiting')) return false;
    if (wanted === '') return true;
    const { name, version } = row.pack;
    if (`${name} ${version}`.toLowerCase().includes(wanted)) return true;
    return row.kind === 'affected' && row.advisories.some((advisory) => wordsOf(advisory).includes(wanted));
  });
}

function wordsOf({ title, cve, ghsa }: Advisory): string {
  return `${title} ${cve ? cveName(cve) : ''} ${ghsa ?? ''}`.toLowerCase();
}

/** The contract writes CVE ids without their `CVE-`. */
export function cveName(cve: string): string {
  return /^\d/.test(cve) ? `CVE-${cve}` : cve;
}

export interface Counts {
  readonly waiting: number;
  readonly failed: number;
  readonly affected: number;
  readonly severities: Readonly<Partial<Record<Severity, number>>>;
}

export function countRows(rows: readonly Row[]): Counts {
  const counts = { waiting: 0, failed: 0, affected: 0 };
  const severities: Partial<Record<Severity, number>> = {};
  for (const row of rows) {
    if (row.kind === 'clear') continue;
    counts[row.kind]++;
    if (row.kind === 'affected') severities[row.severity] = (severities[row.severity] ?? 0) + 1;
  }
  return { ...counts, severities };
}
