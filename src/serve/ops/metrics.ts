// The Prometheus metrics: their names, meanings and sources. What the workers count is in
// counters.ts, what the supervisor knows in status.ts; both are read at each scrape. Only the
// supervisor's own events are counted here.

import type { Counter, Registry } from 'prom-client';
import { DIALECTS_BY_LABEL } from '../../dialects/dialects.ts';
import type { LeaserState } from '../../fleet/leases/leaser.ts';
import { OTHER_LABEL } from '../../http/routing/dialect.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import { SNAPSHOT_ERROR_CODES } from '../../loader/errors.ts';
import { CONDITION_NAMES } from '../conditions.ts';
import { type CountedStatus, type CountersReading, type CountersView, LATENCY_BOUNDS } from '../counters.ts';
import type { SourceState } from '../snapshots/source-record.ts';
import type { RestartReason } from '../workers/worker-pool.ts';
import { histogramSamples, type Labels, type Metric, register, type Sample, sample } from './exposition.ts';
import { sourceMetrics } from './source-status.ts';
import type { SnapshotState, SupervisorState } from './status.ts';

const PREFIX = 'vulndex_';
const RESTART_REASONS = ['crashed', 'hung'] as const satisfies readonly RestartReason[];

/** Everything that one rendering shows, read at the same instant. */
interface Scrape {
  readonly counters: CountersView;
  readonly total: CountersReading;
  readonly state: SupervisorState;
  readonly nowMs: number;
}

type Read = (scrape: Scrape) => readonly Sample[];

export class Metrics {
  readonly #counters: CountersView;
  readonly #state: () => SupervisorState;
  readonly #nowMs: () => number;
  readonly #metrics: Metric[] = [];
  // A series that only starts with its first event has no increase to alert on.
  readonly #refusals = new Map<string, number>(SNAPSHOT_ERROR_CODES.map((code) => [code, 0]));
  readonly #restarts = new Map<string, number>(RESTART_REASONS.map((reason) => [reason, 0]));
  #registry: Promise<Registry> | undefined;
  /** Of the last rendering. */
  #scrape: Scrape | undefined;
  #loadCount = 0;
  #preparerFailureCount = 0;
  #isKeysFileStalled = false;

  /** `state` is called at each rendering, not before. */
  constructor(counters: CountersView, state: () => SupervisorState, nowMs: () => number = Date.now) {
    this.#counters = counters;
    this.#state = state;
    this.#nowMs = nowMs;
    this.#expose('gauge', 'build_info', 'The running release.', ({ state: { version } }) => [
      sample(1, { version, node: process.version }),
    ]);
    this.#exposeRequests();
    this.#exposeWorkers();
    this.#exposeSnapshot();
    this.#expose('gauge', 'condition', 'Whether a condition that needs attention is active.', ({ state }) =>
      CONDITION_NAMES.map((condition) =>
        sample(state.conditions.some(({ name }) => name === condition) ? 1 : 0, { condition }),
      ),
    );
    this.#expose('counter', 'snapshot_loads_total', 'Snapshots that went live.', () => [
      sample(this.#loadCount),
    ]);
    this.#expose('counter', 'snapshot_refusals_total', 'Snapshot files refused.', () =>
      [...this.#refusals].map(([code, count]) => sample(count, { code })),
    );
    this.#expose('counter', 'worker_restarts_total', 'Worker threads replaced.', () =>
      [...this.#restarts].map(([reason, count]) => sample(count, { reason })),
    );
    this.#expose(
      'counter',
      'preparer_failures_total',
      'Deaths of the thread that makes prepared files and lists of changes.',
      () => [sample(this.#preparerFailureCount)],
    );
    this.#expose(
      'gauge',
      'keys_file_stalled',
      'Whether the storage of the keys file has stopped answering, so that key changes are not seen.',
      () => [sample(this.#isKeysFileStalled ? 1 : 0)],
    );
  }

  /** Adds the count of dropped log lines; `dropped` is called at each rendering. */
  exposeLog(dropped: () => number): void {
    this.#expose(
      'counter',
      'log_lines_dropped_total',
      'Log lines dropped because they came faster than they were read.',
      () => [sample(dropped())],
    );
  }

  /** Adds those of a source of snapshots; `source` is called at each rendering. */
  exposeSource(source: () => SourceState): void {
    this.#metrics.push(...sourceMetrics(PREFIX, source, this.#nowMs));
  }

  exposeMaxConnections(each: number): void {
    this.#expose('gauge', 'connections_max', 'Maximum open connections per worker.', () => [sample(each)]);
  }

  /** Adds what the quotas of a fleet say. */
  exposeQuotas(): void {
    const expose = (
      type: Metric['type'],
      name: string,
      help: string,
      read: (leaser: LeaserState) => number,
    ) =>
      this.#expose(type, `quota_${name}`, help, ({ state: { limits } }) =>
        limits?.leaser === undefined ? [] : [sample(read(limits.leaser))],
      );
    expose(
      'gauge',
      'replicas',
      'Replicas that share the quotas, as last heard; 0: none was heard of.',
      (of) => of.replicas,
    );
    expose('gauge', 'keys_in_use', 'Keys that spend, hold or owe tokens here.', (of) => of.keys);
    expose('gauge', 'local', 'Whether each replica grants its local share.', (of) =>
      of.mode === 'local' ? 1 : 0,
    );
    expose('counter', 'calls_total', 'Calls to the engine of the quotas.', (of) => of.calls);
    expose('counter', 'call_failures_total', 'Calls and connections to it that failed.', (of) => of.failures);
    expose('counter', 'tokens_granted_total', 'Requests leased from the engine.', (of) => of.granted);
    expose(
      'counter',
      'tokens_granted_locally_total',
      'Requests of the local share.',
      (of) => of.grantedLocally,
    );
    expose('counter', 'tokens_returned_total', 'Leased requests that were returned.', (of) => of.returned);
    expose(
      'counter',
      'keys_lost_total',
      'Keys that the engine lost although a replica had seen them in use.',
      (of) => of.lostKeys,
    );
    expose('counter', 'states_lost_total', 'Times that the engine lost its memory.', (of) => of.lostStates);
  }

  loadSucceeded(): void {
    this.#loadCount += 1;
  }

  loadRefused(code: string): void {
    increment(this.#refusals, code);
  }

  workerRestarted(reason: RestartReason): void {
    increment(this.#restarts, reason);
  }

  preparerFailed(): void {
    this.#preparerFailureCount += 1;
  }

  keysFileStalled(isStalled: boolean): void {
    this.#isKeysFileStalled = isStalled;
  }

  /** The text exposition, of METRICS_CONTENT_TYPE. */
  async render(): Promise<string> {
    this.#registry ??= registryOf(this.#metrics);
    const registry = await this.#registry;
    this.#scrape = this.#read();
    return registry.metrics(); // which reads them all in this turn
  }

  #read(): Scrape {
    const counters = this.#counters;
    return { counters, total: counters.sum(), state: this.#state(), nowMs: this.#nowMs() };
  }

  #exposeRequests(): void {
    this.#expose('counter', 'requests_total', 'Requests whose reply was sent in full.', ({ total }) =>
      total.requests.map(({ label, status, count }) =>
        sample(count, { ...routeLabels(label), status: String(status) }),
      ),
    );
    this.#expose(
      'histogram',
      'request_duration_seconds',
      'From the request head to handing the reply to the socket.',
      ({ total }) => readDurations(total),
    );
    this.#expose('gauge', 'requests_in_flight', 'Requests not answered yet.', ({ total }) => [
      sample(total.inFlight),
    ]);
    this.#expose(
      'counter',
      'requests_abandoned_total',
      'Requests whose client left before they could be answered.',
      ({ total }) => [sample(total.abandoned)],
    );
    this.#expose(
      'counter',
      'replies_cut_off_total',
      'Replies sent only in part: the client left, read too slowly, or the process ended.',
      ({ total }) => [sample(total.cutOff)],
    );
    this.#expose('counter', 'response_body_bytes_total', 'Bytes of response bodies.', ({ total }) => [
      sample(total.bodyBytes),
    ]);
    this.#expose(
      'counter',
      'limiter_refusals_total',
      'Requests beyond the quota of their key or address.',
      ({ total }) => [sample(countOf(total, 429))],
    );
    this.#expose(
      'counter',
      'auth_failures_total',
      "Requests without a valid key (unauthenticated) or outside their key's tier (forbidden).",
      ({ total }) => [
        sample(countOf(total, 401), { reason: 'unauthenticated' }),
        sample(countOf(total, 403), { reason: 'forbidden' }),
      ],
    );
  }

  #exposeWorkers(): void {
    this.#expose('gauge', 'connections_open', 'Open client connections.', (scrape) =>
      eachWorker(scrape, (worker) => [
        sample(scrape.counters.connections(worker), { worker: String(worker) }),
      ]),
    );
    this.#expose(
      'gauge',
      'event_loop_lag_seconds',
      "How late a worker's event loop was during its last interval.",
      (scrape) =>
        eachWorker(scrape, (worker) => {
          const { meanSeconds, maxSeconds } = scrape.counters.lag(worker);
          return [
            sample(meanSeconds, { worker: String(worker), stat: 'mean' }),
            sample(maxSeconds, { worker: String(worker), stat: 'max' }),
          ];
        }),
    );
  }

  #exposeSnapshot(): void {
    const expose = (
      name: string,
      help: string,
      read: (snapshot: SnapshotState, nowMs: number) => readonly Sample[],
    ): void =>
      this.#expose('gauge', name, help, ({ state: { snapshot }, nowMs }) =>
        snapshot === undefined ? [] : read(snapshot, nowMs),
      );
    expose('snapshot_info', 'The live snapshot.', ({ id, format }) => [
      sample(1, { id, format: String(format) }),
    ]);
    expose('snapshot_age_seconds', 'Time since the snapshot was built.', ({ builtAtMs }, nowMs) => [
      sample((nowMs - builtAtMs) / 1000),
    ]);
    expose('snapshot_built_timestamp_seconds', 'When the snapshot was built.', ({ builtAtMs }) => [
      sample(builtAtMs / 1000),
    ]);
    expose('snapshot_file_bytes', "Size of the snapshot's file.", ({ fileBytes }) => [sample(fileBytes)]);
    this.#expose('gauge', 'snapshots_kept', 'Snapshots in memory that a request may name.', ({ state }) => [
      sample(state.keptIds.length),
    ]);
    this.#expose('gauge', 'prepared_bytes', 'Bytes of the prepared files that are served.', ({ state }) => [
      sample(state.prepared?.bytes ?? 0),
    ]);
    expose('snapshot_advisories', 'Published advisories.', ({ typeCounts }) =>
      PRODUCT_TYPES.map((type) => sample(typeCounts[type], { type })),
    );
  }

  /** Adds a metric that is read at each rendering. */
  #expose(type: Metric['type'], name: string, help: string, read: Read): void {
    this.#metrics.push({ type, name: PREFIX + name, help, read: () => read(this.#scrape ?? this.#read()) });
  }
}

/**
 * Those given, and those of the process under their usual names, process_* and nodejs_*, which existing
 * dashboards expect. Memory, CPU and
 * descriptors are those of the whole process; heap, event loop and collections those of this thread, from the
 * first scrape on. Not imported at the start, where it would take 55 ms of CPU time.
 */
async function registryOf(metrics: readonly Metric[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  for (const metric of metrics) register(registry, metric);
  const { user, system } = process.cpuUsage();
  collectDefaultMetrics({ register: registry });
  // It counts CPU time from here on; what was used before is added.
  const used = { user_seconds: user, system_seconds: system, seconds: user + system };
  for (const [name, microseconds] of Object.entries(used)) {
    const counter = registry.getSingleMetric(`process_cpu_${name}_total`) as Counter;
    counter.inc(microseconds / 1e6);
  }
  // Sums of the gauges beside them, under names that only counters may have.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return registry;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** A request's endpoint, and the client language that it belongs to. */
function routeLabels(label: string): Labels {
  return { endpoint: label, dialect: DIALECTS_BY_LABEL.get(label) ?? OTHER_LABEL };
}

function eachWorker({ counters }: Scrape, read: (worker: number) => readonly Sample[]): readonly Sample[] {
  return Array.from({ length: counters.workerCount }, (_, worker) => read(worker)).flat();
}

function countOf(total: CountersReading, status: CountedStatus): number {
  return total.requests.reduce((sum, entry) => (entry.status === status ? sum + entry.count : sum), 0);
}

function readDurations(total: CountersReading): readonly Sample[] {
  return total.latencies.flatMap(({ label, cumulative, count, sumSeconds }) => {
    const endpoint = routeLabels(label);
    const figures = { cumulative, count, sum: sumSeconds };
    return histogramSamples(LATENCY_BOUNDS, figures, endpoint, (le) => ({ ...endpoint, le }));
  });
}
