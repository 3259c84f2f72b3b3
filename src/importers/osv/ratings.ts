// How bad it is, by an OSV record: the database's word, the CVSS rating that is served, and the weakness.

import { baseScore } from '../record/cvss.ts';
import { cweNames } from '../record/cwe-names.ts';
import { type FieldProblem, quoted } from '../record/feed-schema.ts';
import { isObject, type JsonObject } from '../record/json.ts';

export interface CvssRating {
  readonly score: number | null;
  readonly vector: string | null;
}

interface Weakness {
  readonly id: number;
  readonly name: string | null;
}

// Clients compare scores across advisories, and nearly all have a rating by version 3. Those of version 4 are
// on another scale, those of version 2 too coarse.
const PREFERENCE = ['CVSS_V3', 'CVSS_V4', 'CVSS_V2'] as const;
const NO_RATING: CvssRating = { score: null, vector: null };

/** The rating in a `severity` list; undefined if it has none that can be used. */
export function cvssOf(severity: unknown, field: string, problems: FieldProblem[]): CvssRating | undefined {
  if (severity === undefined || severity === null) return undefined;
  if (!Array.isArray(severity)) {
    problems.push({ field, message: `must be a list (got ${quoted(severity)})` });
    return undefined;
  }
  const entries = severity.map((value: unknown) => (isObject(value) ? value : {}));
  for (const type of PREFERENCE) {
    for (const [at, entry] of entries.entries()) {
      if (entry.type !== type) continue;
      const vector = entry.score;
      const score = typeof vector === 'string' ? baseScore(vector) : undefined;
      if (typeof vector === 'string' && score !== undefined) return { score, vector };
      const problem =
        vector === undefined ? 'is required' : `${quoted(vector)} is not a complete ${type} vector`;
      problems.push({ field: `${field}[${at}].score`, message: `${problem}; left out` });
    }
  }
  return undefined;
}

/** What is said of the package, else of the whole record. */
export function ratingOf(own: CvssRating | undefined, whole: CvssRating | undefined): CvssRating {
  return own ?? whole ?? NO_RATING;
}

/** The database's word, as it writes it; '' if there is none. */
export function severityWord(...databaseSpecific: readonly JsonObject[]): string {
  for (const { severity } of databaseSpecific) {
    if (typeof severity === 'string' && severity.trim() !== '') return severity.trim();
  }
  return '';
}

/** All CWE numbers in the order of the lists: `cwe_ids` of GitHub, `cwes` of the OpenSSF. */
export function cweNumbers(...databaseSpecific: readonly JsonObject[]): number[] {
  const found: number[] = [];
  for (const { cwe_ids: ids, cwes } of databaseSpecific) {
    const texts: unknown[] = [
      ...(Array.isArray(ids) ? ids : []),
      ...(Array.isArray(cwes) ? cwes.map((cwe: unknown) => (isObject(cwe) ? cwe.cweId : undefined)) : []),
    ];
    for (const text of texts) {
      const digits = typeof text === 'string' ? /^CWE-(\d{1,6})$/i.exec(text)?.[1] : undefined;
      if (digits !== undefined) found.push(Number(digits));
    }
  }
  return found;
}

/** The first one with a name, else the first. */
export function weaknessOf(numbers: readonly number[]): Weakness | undefined {
  if (numbers.length === 0) return undefined;
  const names = cweNames();
  const id = numbers.find((number) => names.has(number)) ?? numbers[0];
  return { id, name: names.get(id) ?? null };
}
