// The shapes of GET /operations and GET /operations/history, as far as the page shows them.

import type { Column } from '../parts/columns.ts';
import type { Refused } from '../parts/refused.ts';
import type { SharedLimits, Source } from './fleet.ts';

export interface Operations {
  readonly now: string;
  readonly version: string;
  readonly transport: string;
  readonly uptime_seconds: number;
  readonly draining: boolean;
  readonly conditions: readonly Condition[];
  readonly snapshot: LiveSnapshot | null;
  readonly kept: readonly string[];
  readonly roll_back: RollBack | null;
  readonly last_reload: Reload | null;
  readonly last_order: LastOrder | null;
  /** Null without `--source`. */
  readonly source: Source | null;
  /** Null without `--limits`. */
  readonly limits: SharedLimits | null;
  readonly refused: Refused;
  readonly snapshots: readonly SnapshotFile[];
  readonly workers: readonly Worker[];
  readonly supervisor: { readonly cpu: number | null };
  readonly memory: {
    readonly rss_bytes: number;
    readonly heap_bytes: number;
    readonly shared_bytes: number;
  };
  readonly keys: { readonly total: number; readonly shown: readonly KeyState[] };
  readonly hottest: readonly HotProduct[];
  readonly slowest: readonly SlowRequest[];
  readonly log_dropped: number;
  /** Lists that are empty because the document would have been too large. */
  readonly omitted?: readonly string[];
}

export interface Condition {
  readonly condition: string;
  readonly since: string;
  readonly answered: string;
  readonly reason?: string;
}

export interface LiveSnapshot {
  readonly id: string;
  readonly built_at: string;
  readonly loaded_at: string;
  readonly file: string;
  readonly file_bytes: number;
}

export interface RollBack {
  readonly state: 'pending' | 'held' | 'over';
  readonly file: string;
  readonly id: string;
  readonly newer_than: { readonly id: string; readonly built_at: string };
  readonly ordered_at: string;
  readonly problem?: string;
}

export interface Reload {
  readonly at: string;
  readonly outcome: 'loaded' | 'refused';
  readonly file: string;
  readonly id?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface LastOrder {
  readonly order: OrderName;
  readonly at: string;
  readonly outcome: 'pending' | 'done' | 'failed';
  readonly detail: string;
}

export type OrderName = 'reload' | 'roll-back' | 'roll-forward';

export interface SnapshotFile {
  readonly file: string;
  readonly id: string;
  readonly built_at: string;
  readonly bytes: number;
  readonly live: boolean;
}

export interface Worker {
  readonly index: number;
  readonly state: 'starting' | 'serving' | 'replacing';
  readonly restarts: number;
  readonly connections: number;
  readonly cpu: number | null;
  readonly requests_per_second: number;
  readonly lag_ms: number;
}

export interface KeyState {
  readonly id: string;
  readonly tier: string;
  readonly limits: readonly {
    readonly limit: number;
    readonly window_seconds: number;
    readonly remaining: number;
  }[];
}

export interface HotProduct {
  readonly type: string;
  readonly name: string;
  readonly requests_per_minute: number;
  readonly share: number;
}

export interface SlowRequest {
  readonly at: string;
  readonly method: string;
  readonly label: string;
  readonly path: string | null;
  readonly status: number;
  readonly took_ms: number;
  readonly request_id: string | null;
  readonly key_id: string | null;
}

export const MEASURES = [
  'requests',
  'p50_ms',
  'p99_ms',
  's2xx',
  's3xx',
  's4xx',
  's429',
  's5xx',
  'rss_bytes',
  'in_flight',
  'connections',
  'pending_bytes',
  'lag_ms',
] as const;
export type Measure = (typeof MEASURES)[number];

/** Columns of equal length. */
export type Series = Readonly<Record<Measure, Column>> & {
  /** Epoch seconds, ascending. */
  readonly at: readonly number[];
  /** A column for each worker. */
  readonly cpu: readonly Column[];
};

export interface HistoryAnswer {
  /** Epoch seconds. */
  readonly now: number;
  readonly seconds: Series;
  readonly minutes: Series;
}
