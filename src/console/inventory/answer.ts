// The parts of the server's answers about a product that this view shows.

import type { ProductType } from '../../index/product-type.ts';

export interface Advisory {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly cve: string | null;
  readonly ghsa: string | null;
  readonly is_exploited: boolean;
  readonly cvss: { readonly score: number | null } | null;
  readonly vuln_type: string;
  /** The range that contains the version. */
  readonly matched_range?: { readonly from_version: string | null };
  readonly version_info: { readonly fixed: string | null };
}

export interface Item {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

export interface ItemError {
  readonly code: string;
  readonly message: string;
}

/** Of one item: its advisories, or its error. */
export interface ItemAnswer {
  readonly vulnerabilities?: readonly Advisory[];
  readonly update_to?: string | null;
  readonly error?: ItemError;
}
