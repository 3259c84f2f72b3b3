// The normalised advisory: what every importer yields and the compiler consumes. It knows nothing about
// upstream formats: by now optional fields have their defaults, times are epoch seconds, slugs are in the
// form used for lookups, and every span has been checked against its scheme.

import type { AdvisoryKind } from '../index/columns.ts';
import type { EpssRating } from '../index/items/rare-facts.ts';
import type { Span } from '../index/lookup/interval.ts';
import type { ProductType } from '../index/product-type.ts';
import type { VersionScheme } from '../index/versions/version-key.ts';

export interface Product {
  readonly id: number;
  readonly type: ProductType;
  /** Lower-cased for WordPress types, as published for npm; at most 256 bytes of UTF-8. */
  readonly slug: string;
  readonly name: string;
  readonly premiumName: string | null;
}

export interface Person {
  readonly name: string;
  readonly url: string;
}

export interface Reference {
  readonly url: string;
  readonly title: string;
}

/**
 * Where the facts of an advisory come from, and what their licence requires to be shown. Texts are '' when
 * absent.
 */
export interface Source {
  readonly name: string;
  readonly notice: string;
  readonly license: string;
  readonly licenseUrl: string;
  /** The members of the feed record that came from it, if several sources are merged in the advisory. */
  readonly fields?: readonly string[];
}

export interface Advisory {
  /** 1..2^53-1, unique within one compilation. */
  readonly id: number;
  /** 12 lower-case hex digits, unique within one compilation. */
  readonly psid: string;
  /** As in the feed: the `NPM: ` prefix belongs to one API's answers, not to the data. */
  readonly title: string;
  readonly description: string;
  /** Markdown body. */
  readonly details: string;
  /** Epoch seconds, UTC. */
  readonly disclosedAt: number;
  /** Epoch seconds, UTC. */
  readonly createdAt: number;
  /** Epoch seconds, UTC; null if the source does not say. */
  readonly modifiedAt: number | null;
  /** Epoch seconds, UTC; null if the advisory has not been withdrawn. */
  readonly withdrawnAt: number | null;
  readonly kind: AdvisoryKind;
  readonly url: string;
  readonly urlSlug: string;
  readonly vulnType: string;
  /** Without the `CVE-` prefix. */
  readonly cves: readonly string[];
  readonly ghsa: string;
  /** The id under which the source publishes it, or ''. */
  readonly sourceId: string;
  /** Further ids, in other databases. */
  readonly aliases: readonly string[];
  readonly sources: readonly Source[];
  /** The source's own word for the severity, or ''. */
  readonly severity: string;
  readonly epss: EpssRating | null;
  /**
   * Days since 1970-01-01 at which it was added to CISA's Known Exploited Vulnerabilities catalogue, or null.
   */
  readonly kevDate: number | null;
  readonly isExploited: boolean;
  readonly patchPriority: 1 | 2 | 3;
  readonly product: Product;
  readonly cvss: { readonly score: number | null; readonly vector: string | null };
  readonly cwe: { readonly id: number | null; readonly name: string | null };
  readonly capec: { readonly id: number | null; readonly name: string | null };
  /** `""` when absent. */
  readonly owasp: string;
  readonly references: readonly Reference[];
  /** At least one. Exact versions from `affected_versions` are here too, as `[v, v]` without a fix. */
  readonly spans: readonly Span[];
  /** The feed's `affected_versions`, in its order. */
  readonly affectedVersions: readonly string[];
  readonly versionScheme: VersionScheme;
  readonly credit: Person | null;
  readonly submitter: Person | null;
  /** OSV's `ecosystem_specific` as JSON, an object, or ''. */
  readonly ecosystemSpecific: string;
}
