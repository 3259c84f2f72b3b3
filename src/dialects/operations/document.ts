// The shapes of GET /operations and GET /operations/history: `serve` writes them, the console reads them.
// openapi.json describes them to others, and tests hold the answers against it.

import type { ProductType } from '../../index/product-type.ts';

/** Times are ISO 8601. */
export interface OperationsDocument {
  readonly now: string;
  readonly version: string;
  readonly transport: string;
  readonly uptime_seconds: number;
  readonly draining: boolean;
  readonly conditions: readonly Condition[];
  readonly snapshot: LiveSnapshot | null;
  readonly kept: readonly string[];
  readonly prepared: PreparedAnswers | null;
  readonly roll_back: RollBackState | null;
  readonly last_reload: LastReload | null;
  readonly last_order: LastOrderState | null;
  /** Null without `--source`. */
  readonly source: SourceDocument | null;
  /** Null without `--limits`. */
  readonly limits: SharedLimits | null;
  readonly refused: RefusedState;
  readonly snapshots: readonly SnapshotFile[];
  readonly workers: readonly WorkerFigures[];
  readonly supervisor: { readonly cpu: number | null };
  readonly memory: {
    readonly rss_bytes: number;
    readonly heap_bytes: number;
    readonly shared_bytes: number;
  };
  readonly keys: { readonly total: number; readonly shown: readonly KeyQuota[] };
  readonly hottest: readonly HotProduct[];
  readonly slowest: readonly SlowRequest[];
  readonly log_dropped: number;
  /** Lists that are empty because the document would have been too large. */
  readonly omitted: readonly string[];
}

export interface Condition {
  readonly condition: string;
  readonly since: string;
  readonly answered: string;
  readonly reason?: string;
}

export interface LiveSnapshot {
  readonly id: string;
  readonly format: number;
  readonly built_at: string;
  readonly loaded_at: string;
  readonly age_seconds: number;
  /** Published advisories by product type. */
  readonly advisories: Readonly<Record<string, number>>;
  readonly file: string;
  readonly file_bytes: number;
}

export interface PreparedAnswers {
  readonly id: string;
  readonly files: number;
  readonly bytes: number;
  readonly ready_at: string;
}

export interface RollBackState {
  readonly state: 'pending' | 'held' | 'over';
  readonly file: string;
  readonly id: string;
  readonly newer_than: { readonly id: string; readonly built_at: string };
  readonly ordered_at: string;
  readonly problem?: string;
}

export interface LastReload {
  readonly at: string;
  readonly outcome: 'loaded' | 'refused';
  readonly file: string;
  readonly id?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface LastOrderState {
  readonly order: OrderName;
  readonly at: string;
  readonly outcome: 'pending' | 'done' | 'failed';
  readonly detail: string;
}

export type OrderName = 'reload' | 'roll-back' | 'roll-forward';

export interface Reason {
  readonly code?: string;
  readonly message: string;
}

export interface ManifestState {
  readonly sequence: number;
  readonly id: string;
  readonly state: 'fetching' | 'prepared' | 'live' | 'refused';
  readonly reason?: Reason;
  readonly published_at: string;
  readonly expires: string;
  readonly activate_at: string | null;
  readonly bytes: number;
  readonly arrived_bytes: number;
}

export interface SourceProblem extends Reason {
  readonly kind: 'store' | 'system' | 'refused';
  readonly sequence?: number | null;
  readonly since: string;
}

export interface SourceDocument {
  readonly url: string;
  readonly last_poll: string | null;
  readonly last_success: string | null;
  readonly sequence: number | null;
  readonly manifest: ManifestState | null;
  readonly problem: SourceProblem | null;
  readonly clock_ahead_seconds: number | null;
}

export interface SharedLimits {
  readonly engine: string;
  readonly replica: string;
  readonly mode: 'starting' | 'fleet' | 'local';
  readonly problem?: Reason;
  /** Absent while it starts, like all that follows. */
  readonly replicas?: number;
  readonly keys_in_use?: number;
  readonly calls?: number;
  readonly failures?: number;
  readonly granted?: number;
  readonly granted_locally?: number;
  readonly returned?: number;
  readonly lost_keys?: number;
  readonly lost_states?: number;
  readonly clock_offset_ms?: number;
  readonly eviction_policy?: string | null;
}

export interface RefusedState {
  /** By code. */
  readonly counts: Readonly<Record<string, number>>;
  /** The newest first. */
  readonly recent: readonly {
    readonly file: string;
    readonly code: string;
    readonly message: string;
    readonly at: string;
  }[];
}

interface SnapshotFile {
  readonly file: string;
  readonly id: string;
  readonly built_at: string;
  readonly bytes: number;
  readonly live: boolean;
}

export interface WorkerFigures {
  readonly index: number;
  readonly state: 'starting' | 'serving' | 'replacing';
  readonly restarts: number;
  readonly connections: number;
  readonly cpu: number | null;
  readonly requests_per_second: number;
  readonly lag_ms: number;
}

/** A key and what is left of its limits. */
export interface KeyQuota {
  readonly id: string;
  readonly tier: string;
  /** None for a key without a limit. */
  readonly limits: readonly {
    readonly limit: number;
    readonly window_seconds: number;
    readonly remaining: number;
  }[];
}

export interface HotProduct {
  readonly type: ProductType;
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

/** Null where nothing was measured. */
type Figures = readonly (number | null)[];

/** Columns of equal length. */
export type Series = Readonly<Record<Measure, Figures>> & {
  /** Epoch seconds, ascending. */
  readonly at: readonly number[];
  /** A column for each worker. */
  readonly cpu: readonly Figures[];
};

export interface HistoryDocument {
  /** Epoch seconds. */
  readonly now: number;
  readonly seconds: Series;
  readonly minutes: Series;
}
