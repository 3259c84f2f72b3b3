// The record this generator writes: the feed format, as far as it is used here. Declared separately from the
// importer's type, so that importing a generated record tests both.

export interface FeedSpan {
  readonly from_version: string | null;
  readonly to_version: string | null;
  readonly to_bound: 'exclusive' | 'inclusive' | 'last-affected' | null;
  readonly fixed_in: string | null;
}

export interface FeedPerson {
  readonly name: string;
  readonly url: string;
}

export type ProductType =
  | 'plugin'
  | 'theme'
  | 'wordpress'
  | 'npm'
  | 'composer'
  | 'pypi'
  | 'golang'
  | 'gem'
  | 'cargo'
  | 'maven'
  | 'nuget';
export type VersionScheme =
  | 'wordpress'
  | 'decimal'
  | 'semver'
  | 'composer'
  | 'pep440'
  | 'golang'
  | 'gem'
  | 'maven'
  | 'nuget';

/** Undefined fields are left out of the line. */
export interface FeedRecord {
  readonly id: number;
  readonly psid: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly details: string | undefined;
  readonly disclosed_at: string;
  readonly created_at: string;
  readonly withdrawn_at: string | undefined;
  readonly url: string;
  readonly url_slug: string | undefined;
  readonly vuln_type: string;
  readonly cves: readonly string[];
  readonly ghsa: string | undefined;
  readonly is_exploited: boolean;
  readonly patch_priority: 1 | 2 | 3;
  readonly product: {
    readonly id: number;
    readonly type: ProductType;
    readonly slug: string;
    readonly name: string;
    readonly premium_name: string | undefined;
  };
  readonly cvss: { readonly score: number | null; readonly vector: string | null };
  readonly cwe: { readonly id: number; readonly name: string } | null;
  readonly capec: { readonly id: number; readonly name: string } | null;
  readonly owasp: string | undefined;
  readonly references: readonly { readonly url: string; readonly title: string | undefined }[];
  readonly affected: readonly FeedSpan[] | undefined;
  readonly affected_versions: readonly string[] | undefined;
  readonly version_scheme: VersionScheme | undefined;
  readonly credit: FeedPerson | null;
  readonly submitter: FeedPerson | null;
}
