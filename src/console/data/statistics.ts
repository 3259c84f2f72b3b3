// The shape of GET /statistics.

import type { Severity } from '../parts/severity-scale.ts';

export interface Statistics {
  readonly snapshot: string;
  readonly built_at: string;
  /** The live one first. */
  readonly kept: readonly { readonly id: string; readonly built_at: string }[];
  readonly advisories: {
    readonly total: number;
    readonly withdrawn: number;
    readonly exploited: number;
    readonly without_fix: number;
    readonly by_type: Readonly<Record<string, number>>;
    readonly by_severity: Readonly<Record<Severity, number>>;
    /** Ascending; months without advisories are left out. */
    readonly by_month: readonly MonthCounts[];
  };
  readonly products: Readonly<Record<string, number>>;
  readonly most_affected: Readonly<
    Record<string, readonly { readonly name: string; readonly advisories: number }[]>
  >;
  readonly sources: readonly Source[];
}

export type MonthCounts = Readonly<Record<Severity, number>> & {
  /** `2026-01`. */
  readonly month: string;
};

export interface Source {
  readonly name: string;
  readonly notice: string;
  readonly license: string;
  readonly license_url: string;
  readonly advisories: number;
}
