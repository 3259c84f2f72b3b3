// Makes the document of GET /operations, and leaves lists out of it if it is too large.

import type {
  HotProduct,
  KeyQuota,
  LastOrderState,
  OperationsDocument,
  SlowRequest,
  WorkerFigures,
} from '../../dialects/operations/document.ts';
import type { ListedSnapshot } from '../../loader/live/hot-swap.ts';
import { describeSource } from '../ops/source-status.ts';
import {
  describeLimits,
  describeState,
  isoTime,
  type SupervisorState,
  type WorkerState,
} from '../ops/status.ts';
import type { SourceState } from '../snapshots/source-record.ts';
import type { WorkerSample } from './figures/sampler.ts';
import type { LastOrder } from './orders/orders.ts';
import type { Refusals } from './refusals.ts';

/** What the document is made from. */
export interface DocumentParts {
  readonly nowMs: number;
  readonly state: SupervisorState;
  /** Undefined: the folder alone has snapshots. */
  readonly source: SourceState | undefined;
  readonly lastOrder: LastOrder | undefined;
  readonly refusals: Pick<Refusals, 'counts' | 'recent'>;
  readonly listed: readonly ListedSnapshot[];
  readonly workers: readonly WorkerSample[];
  /** Of the supervisor's thread; undefined if it cannot be known. */
  readonly supervisorCpu: number | undefined;
  readonly memory: { readonly rssBytes: number; readonly heapBytes: number; readonly sharedBytes: number };
  readonly keys: { readonly total: number; readonly shown: readonly KeyQuota[] };
  readonly hottest: readonly HotProduct[];
  readonly slowest: readonly SlowRequest[];
  readonly logDropped: number;
}

/** In the order in which they are left out. */
const OMITTABLE = ['keys.shown', 'hottest', 'slowest', 'refused.recent', 'snapshots'] as const;
type Omittable = (typeof OMITTABLE)[number];

/**
 * The document as UTF-8, at most `mostBytes` long: lists are left out until it fits, and `omitted` names
 * them. Undefined if it does not fit even so.
 */
export function renderOperations(parts: DocumentParts, mostBytes: number): Uint8Array | undefined {
  for (let count = 0; count <= OMITTABLE.length; count++) {
    const omitted: readonly Omittable[] = OMITTABLE.slice(0, count);
    const bytes = Buffer.from(JSON.stringify(describe(parts, omitted)));
    if (bytes.length <= mostBytes) return bytes;
  }
  return undefined;
}

function describe(parts: DocumentParts, omitted: readonly Omittable[]): OperationsDocument {
  const { nowMs, state, refusals, memory, keys, logDropped } = parts;
  const { mounts: _mounts, last_reload, roll_back, ...described } = describeState(state, nowMs);
  const unless = <Item>(name: Omittable, items: readonly Item[]): readonly Item[] =>
    omitted.includes(name) ? [] : items;
  return {
    now: isoTime(nowMs),
    ...described,
    roll_back,
    last_reload,
    last_order: describeOrder(parts.lastOrder),
    source: parts.source === undefined ? null : describeSource(parts.source),
    limits: state.limits === undefined ? null : describeLimits(state.limits),
    refused: {
      counts: Object.fromEntries(refusals.counts),
      recent: unless('refused.recent', refusals.recent).map(({ atMs, ...refusal }) => {
        return { ...refusal, at: isoTime(atMs) };
      }),
    },
    snapshots: unless('snapshots', parts.listed).map(({ file, id, builtAtMs, bytes }) => {
      return { file, id, built_at: isoTime(builtAtMs), bytes, live: id === state.snapshot?.id };
    }),
    workers: state.workers.map((worker, index) => describeWorker(worker, index, parts.workers[index])),
    supervisor: { cpu: shareOrNull(parts.supervisorCpu) },
    memory: {
      rss_bytes: memory.rssBytes,
      heap_bytes: memory.heapBytes,
      shared_bytes: memory.sharedBytes,
    },
    keys: { total: keys.total, shown: unless('keys.shown', keys.shown) },
    hottest: unless('hottest', parts.hottest),
    slowest: unless('slowest', parts.slowest),
    log_dropped: logDropped,
    omitted,
  };
}

function describeOrder(order: LastOrder | undefined): LastOrderState | null {
  if (order === undefined) return null;
  const { kind, atMs, outcome, detail } = order;
  return { order: kind, at: isoTime(atMs), outcome, detail };
}

function describeWorker(
  { state, restarts }: WorkerState,
  index: number,
  sample: WorkerSample,
): WorkerFigures {
  const { connections, cpu, requestsPerSecond, lagMs } = sample;
  return {
    index,
    state,
    restarts,
    connections,
    cpu: shareOrNull(cpu),
    requests_per_second: Number(requestsPerSecond.toFixed(2)),
    lag_ms: Number(lagMs.toFixed(2)),
  };
}

function shareOrNull(share: number | undefined): number | null {
  return share === undefined ? null : Number(share.toFixed(3));
}
