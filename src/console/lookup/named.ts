// The advisories that one id names: a number, CVE, GHSA id or the id of another database.

import { PRODUCT_TYPE_TABLE, type ProductType } from '../../index/product-type.ts';
import { type Api, ApiError } from '../app/api.ts';
import { severityOf } from '../parts/severity-scale.ts';
import type { Advisory, Detail } from './answers.ts';

/** The advisory's own page, with the members that say what it is about. */
export interface Page extends Detail {
  readonly vulnerability: Detail['vulnerability'] & {
    readonly id: number;
    readonly title: string;
    readonly is_exploited: boolean;
    readonly direct_url: string;
  };
  readonly product: { readonly name: string; readonly slug: string; readonly type: string };
  readonly cvss: Advisory['cvss'];
  readonly versions: { readonly affected_in: string; readonly fixed_in: string };
}

/** The pages of all advisories that the id names. Throws as `Api.get`. */
export async function pagesOf(
  api: Pick<Api, 'get'>,
  id: string,
  signal: AbortSignal,
): Promise<readonly Page[]> {
  const pageOf = (each: string | number) =>
    api.get<Page>(`/vulnerability/${encodeURIComponent(each)}`, signal);
  try {
    return [await pageOf(id)];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ambiguous_id') throw error;
    return Promise.all(error.ids.map(pageOf));
  }
}

/** Pages name types as people do. */
export function productOf({ product: { type: label, slug: name } }: Pick<Page, 'product'>): {
  readonly label: string;
  /** Undefined for one of a newer server. */
  readonly type: ProductType | undefined;
  readonly name: string;
} {
  return { label, type: PRODUCT_TYPE_TABLE.find((row) => row.label === label)?.name, name };
}

/** As lists of advisories have it. */
export function asListed({ vulnerability, cvss, cve, versions: { fixed_in } }: Page): Advisory {
  return {
    id: vulnerability.id,
    title: vulnerability.title,
    url: vulnerability.direct_url,
    cve: cve[0] ?? '',
    ghsa: '',
    applies: false,
    matched_range: { from_version: null, to_version: null, to_bound: null, fixed_in: fixed_in || null },
    severity: severityOf(cvss?.score),
    cvss,
    is_exploited: vulnerability.is_exploited,
    ranges: [],
    sources: [],
  };
}
