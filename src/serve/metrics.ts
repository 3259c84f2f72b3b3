// The figures for Prometheus: their names, what they mean and where they are read. What the workers count is in
// counters.ts, what the supervisor knows in status.ts; both are read when somebody asks. Only events of the
// supervisor itself are counted here.

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { SNAPSHOT_ERROR_CODES } from '../loader/errors.ts';
import { CONDITION_NAMES } from './conditions.ts';
import { type CountedStatus, type CountersReading, type CountersView, LATENCY_BOUNDS } from './counters.ts';
import type { SnapshotState, SupervisorState } from './status.ts';
import type { RestartReason } from './worker-pool.ts';

const PREFIX = 'vulndex_';
const RESTART_REASONS = ['crashed', 'hung'] as const satisfies readonly RestartReason[];

/** The media type of what `render` gives. */
export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Everything that one rendering shows, read at one instant. */
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
  /** Of a histogram's lines only, which are named after their part. */
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
  readonly #keysStalled: Gauge;
  #scrape: Scrape | undefined;

  /** `state` is asked at each rendering, not before the first. */
  constructor(counters: CountersView, state: () => SupervisorState, nowMs: () => number = Date.now) {
    this.#counters = counters;
    this.#state = state;
    this.#nowMs = nowMs;
    this.#expose('gauge', 'build_info', 'The release that runs.', ({ state: { version } }) => [
      sample(1, { version, node: process.version }),
    ]);
    this.#exposeRequests();
    this.#exposeWorkers();
    this.#exposeSnapshot();
    this.#expose('gauge', 'condition', 'Whether something is not as it should be.', ({ state }) =>
      CONDITION_NAMES.map((condition) =>
        sample(state.conditions.some(({ name }) => name === condition) ? 1 : 0, { condition }),
      ),
    );
    this.#loads = this.#count('snapshot_loads_total', 'Snapshots that were put in force.');
    this.#refusals = this.#count('snapshot_refusals_total', 'Snapshot files that were refused.', 'code');
    this.#restarts = this.#count('worker_restarts_total', 'Worker threads that were replaced.', 'reason');
    this.#keysStalled = new Gauge({
      name: `${PREFIX}keys_file_stalled`,
      help: 'Whether the storage of the keys file does not answer, so that no change of it is seen.',
      registers: [this.#registry],
    });
    // A series that begins with its first event has no increase to alert on.
    for (const code of SNAPSHOT_ERROR_CODES) this.#refusals.inc({ code }, 0);
    for (const reason of RESTART_REASONS) this.#restarts.inc({ reason }, 0);
    // Under their usual names, process_* and nodejs_*, which existing dashboards look for. Memory, CPU and
    // descriptors are the whole process's; heap and event loop are the supervisor's thread's.
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Adds lines of the log that were not written; `dropped` is asked at each rendering. */
  exposeLog(dropped: () => number): void {
    this.#expose(
      'counter',
      'log_lines_dropped_total',
      'Lines of the log that were dropped because nobody took them.',
      () => [sample(dropped())],
    );
  }

  exposeMaxConnections(each: number): void {
    this.#expose('gauge', 'connections_max', 'Connections that each worker keeps open at most.', () => [
      sample(each),
    ]);
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

  keysFileStalled(isStalled: boolean): void {
    this.#keysStalled.set(isStalled ? 1 : 0);
  }

  /** The text exposition, of METRICS_CONTENT_TYPE. */
  render(): Promise<string> {
    const counters = this.#counters;
    // The registry asks every metric before it first yields, so renderings that overlap do not mix.
    this.#scrape = { counters, total: counters.sum(), state: this.#state(), nowMs: this.#nowMs() };
    return this.#registry.metrics();
  }

  #exposeRequests(): void {
    this.#expose('counter', 'requests_total', 'Requests that were answered, whole.', ({ total }) =>
      total.requests.map(({ label, status, count }) =>
        sample(count, { endpoint: label, status: String(status) }),
      ),
    );
    this.#expose(
      'histogram',
      'request_duration_seconds',
      'From the head of a request to its reply being handed to the socket.',
      ({ total }) => readDurations(total),
    );
    this.#expose('gauge', 'requests_in_flight', 'Requests that are not answered yet.', ({ total }) => [
      sample(total.inFlight),
    ]);
    this.#expose(
      'counter',
      'requests_abandoned_total',
      'Requests that went away before they could be answered.',
      ({ total }) => [sample(total.abandoned)],
    );
    this.#expose(
      'counter',
      'replies_cut_off_total',
      'Replies of which only a part was sent: the client left, read too slowly, or the process ended.',
      ({ total }) => [sample(total.cutOff)],
    );
    this.#expose('counter', 'response_body_bytes_total', 'Bytes of response bodies.', ({ total }) => [
      sample(total.bodyBytes),
    ]);
    this.#expose(
      'counter',
      'limiter_refusals_total',
      'Requests beyond the quota of their key.',
      ({ total }) => [sample(countOf(total, 429))],
    );
    this.#expose(
      'counter',
      'auth_failures_total',
      'Requests without a good key (unauthenticated) or beyond the tier of theirs (forbidden).',
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
      "How late a worker's event loop was in its last interval.",
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
    expose('snapshot_info', 'The snapshot in force.', ({ id, format }) => [
      sample(1, { id, format: String(format) }),
    ]);
    expose('snapshot_age_seconds', 'Since the snapshot was built.', ({ builtAtMs }, nowMs) => [
      sample((nowMs - builtAtMs) / 1000),
    ]);
    expose('snapshot_built_timestamp_seconds', 'When the snapshot was built.', ({ builtAtMs }) => [
      sample(builtAtMs / 1000),
    ]);
    expose('snapshot_file_bytes', "Size of the snapshot's file.", ({ fileBytes }) => [sample(fileBytes)]);
    expose('snapshot_advisories', 'Published advisories.', ({ typeCounts }) =>
      PRODUCT_TYPES.map((type) => sample(typeCounts[type], { type })),
    );
  }

  /**
   * Adds a metric that is read at each rendering. prom-client's own classes want to be told of every change: its
   * Histogram takes single observations only, and its Gauge without labels shows 0 where there is nothing.
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
    // All that the registry asks of a metric is above; its type names the four classes.
    this.#registry.registerMetric(metric as unknown as Metric);
  }

  #count<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.#registry] });
  }
}

function sample(value: number, labels: Labels = {}): Sample {
  return { labels, value };
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
    const endpoint = { endpoint: label };
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
