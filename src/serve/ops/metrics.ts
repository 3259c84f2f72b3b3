// The Prometheus metrics: their names, meanings and sources. What the workers count is in counters.ts, what the
// supervisor knows in status.ts; both are read at each scrape. Only the supervisor's own events are counted here.

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { DIALECTS_BY_LABEL } from '../../dialects/dialects.ts';
import { OTHER_LABEL } from '../../http/dialect.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import { SNAPSHOT_ERROR_CODES } from '../../loader/errors.ts';
import { CONDITION_NAMES } from '../conditions.ts';
import { type CountedStatus, type CountersReading, type CountersView, LATENCY_BOUNDS } from '../counters.ts';
import type { RestartReason } from '../workers/worker-pool.ts';
import type { SnapshotState, SupervisorState } from './status.ts';

const PREFIX = 'vulndex_';
const RESTART_REASONS = ['crashed', 'hung'] as const satisfies readonly RestartReason[];

/** The media type of what `render` returns. */
export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Everything that one rendering shows, read at the same instant. */
interface Scrape {
  readonly counters: CountersView;
  readonly total: CountersReading;
  readonly state: SupervisorState;
  readonly nowMs: number;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** For a histogram only, whose lines are named after their part. */
  readonly metricName?: string;
}

type Read = (scrape: Scrape) => readonly Sample[];

export class Metrics {
  readonly #counters: CountersView;
  readonly #state: () => SupervisorState;
  readonly #nowMs: () => number;
  readonly #registry = new Registry();
  readonly #loads: Counter;
  readonly #refusals: Counter<'code'>;
  readonly #restarts: Counter<'reason'>;
  readonly #preparerFailures: Counter;
  readonly #keysStalled: Gauge;
  #scrape: Scrape | undefined;

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
    this.#loads = this.#count('snapshot_loads_total', 'Snapshots that went live.');
    this.#refusals = this.#count('snapshot_refusals_total', 'Snapshot files refused.', 'code');
    this.#restarts = this.#count('worker_restarts_total', 'Worker threads replaced.', 'reason');
    this.#preparerFailures = this.#count(
      'preparer_failures_total',
      'Deaths of the thread that makes prepared files and lists of changes.',
    );
    this.#keysStalled = new Gauge({
      name: `${PREFIX}keys_file_stalled`,
      help: 'Whether the storage of the keys file has stopped answering, so that key changes are not seen.',
      registers: [this.#registry],
    });
    // A series that only starts with its first event has no increase to alert on.
    for (const code of SNAPSHOT_ERROR_CODES) this.#refusals.inc({ code }, 0);
    for (const reason of RESTART_REASONS) this.#restarts.inc({ reason }, 0);
    // Under their usual names, process_* and nodejs_*, which existing dashboards expect. Memory, CPU and
    // descriptors are those of the whole process; heap and event loop those of the supervisor's thread.
    collectDefaultMetrics({ register: this.#registry });
    // Sums of the gauges beside them, under names that only counters may have.
    for (const what of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`);
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

  exposeMaxConnections(each: number): void {
    this.#expose('gauge', 'connections_max', 'Maximum open connections per worker.', () => [sample(each)]);
  }

  loadSucceeded(): void {
    this.#loads.inc();
  }

  loadRefused(code: string): void {
    this.#refusals.inc({ code });
  }

  workerRestarted(reason: RestartReason): void {
    this.#restarts.inc({ reason });
  }

  preparerFailed(): void {
    this.#preparerFailures.inc();
  }

  keysFileStalled(isStalled: boolean): void {
    this.#keysStalled.set(isStalled ? 1 : 0);
  }

  /** The text exposition, of METRICS_CONTENT_TYPE. */
  render(): Promise<string> {
    const counters = this.#counters;
    // The registry reads every metric before it first yields, so overlapping renderings do not mix.
    this.#scrape = { counters, total: counters.sum(), state: this.#state(), nowMs: this.#nowMs() };
    return this.#registry.metrics();
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

  /**
   * Adds a metric that is read at each rendering. prom-client's own classes must be updated at every change: its
   * Histogram takes single observations only, and its Gauge without labels shows 0 where there is no value.
   */
  #expose(type: 'counter' | 'gauge' | 'histogram', name: string, help: string, read: Read): void {
    const metric = {
      name: PREFIX + name,
      help,
      type,
      get: async () => ({
        name: PREFIX + name,
        help,
        type,
        values: this.#scrape === undefined ? [] : read(this.#scrape),
      }),
      reset: () => {},
    };
    // The registry needs no more of a metric than this; its type names the four classes.
    this.#registry.registerMetric(metric as unknown as Metric);
  }

  #count<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.#registry] });
  }
}

function sample(value: number, labels: Labels = {}): Sample {
  return { labels, value };
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
  const name = `${PREFIX}request_duration_seconds`;
  return total.latencies.flatMap(({ label, cumulative, count, sumSeconds }) => {
    const endpoint = routeLabels(label);
    return [
      ...LATENCY_BOUNDS.map((bound, i) => {
        return {
          metricName: `${name}_bucket`,
          labels: { ...endpoint, le: String(bound) },
          value: cumulative[i],
        };
      }),
      { metricName: `${name}_bucket`, labels: { ...endpoint, le: '+Inf' }, value: count },
      { metricName: `${name}_sum`, labels: endpoint, value: sumSeconds },
      { metricName: `${name}_count`, labels: endpoint, value: count },
    ];
  });
}
