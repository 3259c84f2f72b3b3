// What the server says about a product, as this view uses it: the members of `/explain` and `/vulnerability`,
// in the order in which people want to read them.

import type { Api } from '../app/api.ts';
import { ApiError } from '../app/api.ts';
import { asSeverity, compareSeverity, type Severity, severityOf } from '../parts/severity-scale.ts';
import { explainPath, productPath, type Query } from './query.ts';

/** The version that leaves the fewest advisories, where none clears everything. */
export interface FewestLeft {
  readonly version: string;
  readonly advisories: readonly number[];
}

/** The versions that the advisories of one scheme name, ascending. */
export interface Axis {
  readonly version_scheme: string;
  readonly versions: readonly string[];
  /** How many of them are below the asked version; null if the scheme does not order it. */
  readonly below: number | null;
  /** Whether the next one is the asked version. */
  readonly exact: boolean | null;
}

export interface MatchedRange {
  readonly from_version: string | null;
  readonly to_version: string | null;
  readonly to_bound: string | null;
  readonly fixed_in: string | null;
}

export interface Range extends MatchedRange {
  readonly decides: boolean;
  readonly excluded_by: 'from_version' | 'to_version' | 'version_scheme' | null;
  readonly comparison: string;
  /** Positions in an axis; null where there is no bound. */
  readonly axis: number;
  readonly from_at: number | null;
  readonly to_at: number | null;
}

export interface Source {
  readonly name: string;
  readonly notice: string;
  readonly license: string;
  readonly license_url: string;
  readonly fields: readonly string[] | null;
}

export interface Advisory {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  /** Without `CVE-`; '' if there is none. */
  readonly cve: string;
  readonly ghsa: string;
  readonly applies: boolean;
  readonly matched_range: MatchedRange | null;
  readonly severity: string | null;
  readonly cvss: { readonly score: number | null; readonly vector: string | null } | null;
  readonly is_exploited: boolean;
  readonly ranges: readonly Range[];
  readonly sources: readonly Source[];
}

export interface Explanation {
  /** Null if the answer does not say. */
  readonly known_product: boolean | null;
  readonly readings: readonly {
    readonly version_scheme: string;
    readonly parts: readonly { readonly kind: string; readonly text: string }[] | null;
  }[];
  readonly update_to: string | null;
  readonly lowest_clear: string | null;
  readonly fewest_left: FewestLeft | null;
  readonly advisories: readonly Advisory[];
  readonly axes: readonly Axis[];
  readonly omitted_ranges: number;
}

/** An advisory's own page. */
export interface Detail {
  readonly vulnerability: { readonly description: string; readonly disclosed_at: string };
  readonly type: string;
  readonly cve: readonly string[];
  readonly references_url: readonly { readonly url: string; readonly title: string }[];
  readonly credit: { readonly name: string; readonly url: string } | null;
}

export interface Answer {
  readonly query: Query;
  readonly explanation: Explanation;
  /** Whether the key grants no explanations, so that there are no ranges and no axes. */
  readonly isBrief: boolean;
  /** Whether the data has nothing about the type, so that the answer means nothing. */
  readonly isWithoutData: boolean;
}

/** Asks for the explanation; for the verdict alone where the key does not grant that. Throws as `Api.get`. */
export async function askFor(api: Api, query: Query, signal: AbortSignal): Promise<Answer> {
  try {
    const { value: explanation, ...said } = await api.ask<Explanation>(explainPath(query), { signal });
    return { query, explanation, isBrief: false, isWithoutData: said.typesWithoutData.length > 0 };
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'forbidden') throw error;
    const { value: found, ...said } = await api.ask<ProductAnswer>(productPath(query), { signal });
    const isWithoutData = said.typesWithoutData.length > 0;
    return { query, explanation: withoutReasons(found), isBrief: true, isWithoutData };
  }
}

type Item = Pick<Advisory, 'id' | 'title' | 'url' | 'cve' | 'ghsa' | 'cvss' | 'is_exploited'> & {
  readonly matched_range?: MatchedRange;
};

interface ProductAnswer {
  readonly vulnerabilities: readonly Item[];
  readonly update_to?: string | null;
}

function withoutReasons({ vulnerabilities, update_to = null }: ProductAnswer): Explanation {
  return {
    known_product: null,
    readings: [],
    update_to,
    lowest_clear: null,
    fewest_left: null,
    advisories: vulnerabilities.map((item) => ({
      ...item,
      applies: true,
      matched_range: item.matched_range ?? null,
      severity: severityOf(item.cvss?.score),
      ranges: [],
      sources: [],
    })),
    axes: [],
    omitted_ranges: 0,
  };
}

export function severityOfAdvisory({ severity }: Pick<Advisory, 'severity'>): Severity {
  return asSeverity(severity);
}

/** Those that apply first, then the worst, then the newest. */
export function inReadingOrder(advisories: readonly Advisory[]): Advisory[] {
  return [...advisories].sort(
    (a, b) =>
      Number(b.applies) - Number(a.applies) ||
      compareSeverity(severityOfAdvisory(a), severityOfAdvisory(b)) ||
      (b.cvss?.score ?? 0) - (a.cvss?.score ?? 0) ||
      b.id - a.id,
  );
}

/** `CVE-2024-1`, else the GitHub id, else the advisory's number. */
export function identifierOf({ id, cve, ghsa }: Pick<Advisory, 'id' | 'cve' | 'ghsa'>): string {
  return cve === '' ? ghsa || `#${id}` : `CVE-${cve}`;
}

/** The title; without the prefix that lists of several platforms need. */
export function titleOf({ title }: Pick<Advisory, 'title'>): string {
  return title.replace(/^NPM: /, '');
}

/** `1.0 up to, not including, 1.5`. */
export function rangePhrase({ from_version, to_version, to_bound }: MatchedRange): string {
  if (to_version === null) return from_version === null ? 'all versions' : `${from_version} and later`;
  const to = to_bound === 'exclusive' ? `before ${to_version}` : `up to ${to_version}`;
  return from_version === null ? to : `from ${from_version} ${to}`;
}

/** The versions that fix it: of the range that decided, else of all its ranges. */
export function fixesOf({ matched_range, ranges }: Advisory): string[] {
  const fixes = (matched_range === null ? ranges : [matched_range]).map(({ fixed_in }) => fixed_in);
  return [...new Set(fixes)].filter((fix) => fix !== null);
}

/** Why it does not apply, in one line. Requires: it does not. */
export function whyNot({ ranges }: Advisory): string {
  if (ranges.length === 1) return ranges[0].comparison;
  return ranges.length === 0 ? '' : `outside all of its ${ranges.length} ranges`;
}
