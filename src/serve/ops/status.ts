// What an operator sees at /status: the supervisor's state as one JSON document. Owns the names in it;
// the supervisor keeps the state.

import type {
  Condition,
  LastReload,
  LiveSnapshot,
  PreparedAnswers,
  RollBackState,
  SharedLimits,
} from '../../dialects/operations/document.ts';
import type { LeaserState } from '../../fleet/leases/leaser.ts';
import type { TransportKind } from '../../http/transport/transport.ts';
import { PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import type { RollBack } from '../../loader/live/roll-back.ts';
import type { ServedMount } from '../clients.ts';
import type { ConditionState } from '../conditions.ts';
import type { CountersView } from '../counters.ts';
import type { SourceState } from '../snapshots/source-record.ts';
import { describeSource } from './source-status.ts';

/** What the supervisor knows, for /status and /metrics. */
export interface SupervisorState {
  readonly version: string;
  readonly transport: TransportKind;
  /** The dialects that are on. */
  readonly mounts: readonly ServedMount[];
  /** Milliseconds since the epoch, like all times here. */
  readonly startedAtMs: number;
  readonly isDraining: boolean;
  /** Undefined until the first is loaded. */
  readonly snapshot: SnapshotState | undefined;
  /** The ids of all snapshots that a request may name, the live one first. */
  readonly keptIds: readonly string[];
  /** Undefined until the first files are ready, or if no dialect has any. */
  readonly prepared: PreparedState | undefined;
  /** By index. */
  readonly workers: readonly WorkerState[];
  /** Undefined until the first file was examined. */
  readonly lastReload: Reload | undefined;
  /** The current roll-back order, followed or not. */
  readonly rollBack: RollBack | undefined;
  /** The active conditions. */
  readonly conditions: readonly ConditionState[];
  /** Undefined: this process counts quotas by itself. */
  readonly limits?: LimitsState | undefined;
}

/** The quotas that a fleet shares. */
export interface LimitsState {
  /** Without user and password. */
  readonly engine: string;
  readonly replica: string;
  /** Undefined until the thread has said anything. */
  readonly leaser: LeaserState | undefined;
}

export interface SnapshotState {
  readonly id: string;
  readonly format: number;
  readonly builtAtMs: number;
  readonly loadedAtMs: number;
  /** Without its folder. */
  readonly file: string;
  readonly fileBytes: number;
  /** Published advisories by product type. */
  readonly typeCounts: Readonly<Record<ProductType, number>>;
}

/** The prepared files that are served. */
export interface PreparedState {
  /** Of the snapshot that they were made from. */
  readonly id: string;
  readonly fileCount: number;
  readonly bytes: number;
  readonly atMs: number;
}

export interface WorkerState {
  readonly state: 'starting' | 'serving' | 'replacing';
  readonly restarts: number;
}

/** The outcome for the last file examined. */
export type Reload =
  | { readonly kind: 'loaded'; readonly atMs: number; readonly file: string; readonly id: string }
  | {
      readonly kind: 'refused';
      readonly atMs: number;
      readonly file: string;
      readonly code: string;
      readonly message: string;
    };

/** The document as text, formatted for people, its keys in reading order. Whole seconds, rounded down. */
export function renderStatus(
  state: SupervisorState,
  counters: Pick<CountersView, 'connections'>,
  nowMs: number,
  source?: SourceState,
): string {
  const { last_reload, roll_back, ...described } = describeState(state, nowMs);
  const document = {
    ...described,
    workers: state.workers.map(({ state, restarts }, index) => {
      return { index, state, restarts, connections: counters.connections(index) };
    }),
    last_reload,
    roll_back,
    source: source === undefined ? null : describeSource(source),
    ...(state.limits === undefined ? {} : { limits: describeLimits(state.limits) }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The members that other documents share. */
export function describeState(state: SupervisorState, nowMs: number) {
  const { snapshot, prepared, lastReload, rollBack } = state;
  return {
    version: state.version,
    transport: state.transport,
    mounts: state.mounts,
    uptime_seconds: secondsBetween(state.startedAtMs, nowMs),
    draining: state.isDraining,
    conditions: state.conditions.map(describeCondition),
    snapshot: snapshot === undefined ? null : describeSnapshot(snapshot, nowMs),
    kept: state.keptIds,
    prepared: prepared === undefined ? null : describePrepared(prepared),
    last_reload: lastReload === undefined ? null : describeReload(lastReload),
    roll_back: rollBack === undefined ? null : describeRollBack(rollBack),
  };
}

function describeSnapshot(snapshot: SnapshotState, nowMs: number): LiveSnapshot {
  return {
    id: snapshot.id,
    format: snapshot.format,
    built_at: isoTime(snapshot.builtAtMs),
    loaded_at: isoTime(snapshot.loadedAtMs),
    age_seconds: secondsBetween(snapshot.builtAtMs, nowMs),
    advisories: Object.fromEntries(PRODUCT_TYPES.map((type) => [type, snapshot.typeCounts[type]])),
    file: snapshot.file,
    file_bytes: snapshot.fileBytes,
  };
}

function describePrepared({ id, fileCount, bytes, atMs }: PreparedState): PreparedAnswers {
  return { id, files: fileCount, bytes, ready_at: isoTime(atMs) };
}

/** The members of both documents that show it. */
export function describeLimits({ engine, replica, leaser }: LimitsState): SharedLimits {
  if (leaser === undefined) return { engine, replica, mode: 'starting' };
  const { mode, problem, replicas, keys, clockOffsetMs } = leaser;
  return {
    engine,
    replica,
    mode,
    ...(problem === undefined ? {} : { problem }),
    replicas,
    keys_in_use: keys,
    calls: leaser.calls,
    failures: leaser.failures,
    granted: leaser.granted,
    granted_locally: leaser.grantedLocally,
    returned: leaser.returned,
    lost_keys: leaser.lostKeys,
    lost_states: leaser.lostStates,
    clock_offset_ms: Math.round(clockOffsetMs),
    eviction_policy: leaser.evictionPolicy ?? null,
  };
}

function describeReload(reload: Reload): LastReload {
  const at = isoTime(reload.atMs);
  const { file } = reload;
  return reload.kind === 'loaded'
    ? { at, outcome: 'loaded', file, id: reload.id }
    : { at, outcome: 'refused', file, error: { code: reload.code, message: reload.message } };
}

function describeCondition({ name, sinceMs, answered, reason }: ConditionState): Condition {
  return { condition: name, since: isoTime(sinceMs), answered, ...(reason === undefined ? {} : { reason }) };
}

function describeRollBack({ order, from, phase }: RollBack): RollBackState {
  return {
    state: phase.kind,
    file: order.file,
    id: order.id,
    newer_than: { id: from.id, built_at: isoTime(from.builtAtMs) },
    ordered_at: isoTime(order.orderedAtMs),
    ...(phase.kind === 'pending' && phase.problem !== undefined ? { problem: phase.problem } : {}),
  };
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.floor((toMs - fromMs) / 1000);
}

export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
