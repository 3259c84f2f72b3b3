import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS_BY_LABEL, ROUTE_LABELS } from '../../../src/dialects/dialects.ts';
import { SNAPSHOT_ERROR_CODES } from '../../../src/loader/errors.ts';
import { CONDITION_NAMES } from '../../../src/serve/conditions.ts';
import {
  allocateCounters,
  CountersView,
  LATENCY_BOUNDS,
  WorkerCounters,
} from '../../../src/serve/counters.ts';
import { METRICS_CONTENT_TYPE } from '../../../src/serve/ops/exposition.ts';
import { Metrics } from '../../../src/serve/ops/metrics.ts';
import type { SupervisorState } from '../../../src/serve/ops/status.ts';
import { typeCounts } from '../../support/snapshots/type-counts.ts';

const NOW_MS = Date.UTC(2026, 9, 2, 12);

const EMPTY: SupervisorState = {
  version: '1.2.3',
  transport: 'uws',
  mounts: [],
  startedAtMs: NOW_MS,
  isDraining: false,
  snapshot: undefined,
  keptIds: [],
  prepared: undefined,
  workers: [],
  lastReload: undefined,
  rollBack: undefined,
  conditions: [],
};

const LOADED: SupervisorState = {
  ...EMPTY,
  snapshot: {
    id: '0123456789abcdef',
    format: 3,
    builtAtMs: NOW_MS - 90_500,
    loadedAtMs: NOW_MS - 1_000,
    file: 'today.vdx',
    fileBytes: 4_096,
    typeCounts: typeCounts({ plugin: 4, theme: 3, wordpress: 2, npm: 1 }),
  },
};

interface Exposition {
  readonly types: ReadonlyMap<string, string>;
  /** By name and labels, as written. */
  readonly values: ReadonlyMap<string, number>;
}

const COMMENT = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/;
const SAMPLE = /^([a-z_][a-z0-9_]*)(\{[a-z_]+="[^"\\\n]*"(?:,[a-z_]+="[^"\\\n]*")*\})? (\S+)$/;
// What Go's ParseFloat accepts, as the format says: Nan is for the mean of no samples.
const NUMBER = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|[+-]inf)$/i;

/** Parses the text strictly: a line that a scraper would reject fails the test. */
function parse(text: string): Exposition {
  assert.ok(text.endsWith('\n'));
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  const helped = new Set<string>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = COMMENT.exec(line);
    if (comment !== null) {
      const [, keyword, name, rest] = comment;
      if (keyword === 'HELP') {
        assert.ok(!helped.has(name), `${name} is described twice`);
        helped.add(name);
      } else {
        assert.ok(helped.has(name), `the type of ${name} comes before its description`);
        assert.ok(!types.has(name), `${name} has two types`);
        assert.match(rest, /^(counter|gauge|histogram|summary)$/);
        types.set(name, rest);
      }
      current = name;
      continue;
    }
    const sample = SAMPLE.exec(line);
    assert.ok(sample !== null, `no sample: ${line}`);
    const [, name, labels = '', value] = sample;
    const suffix = types.get(current) === 'histogram' ? /^_(bucket|sum|count)$/ : /^$/;
    assert.ok(name.startsWith(current), `${line} stands below ${current}`);
    assert.match(name.slice(current.length), suffix, line);
    assert.match(value, NUMBER, line);
    assert.ok(!values.has(name + labels), `twice: ${name}${labels}`);
    values.set(name + labels, Number(value));
  }
  return { types, values };
}

function setUp(workerCount: number, state: SupervisorState) {
  const counters = allocateCounters(workerCount);
  const workers = Array.from({ length: workerCount }, (_, worker) => new WorkerCounters(counters, worker));
  const metrics = new Metrics(
    new CountersView(counters),
    () => state,
    () => NOW_MS,
  );
  const scrape = async (): Promise<Exposition> => parse(await metrics.render());
  return { workers, metrics, scrape };
}

test('every line of the exposition is valid, and every metric has the type that its name implies', async () => {
  const { workers, scrape } = setUp(2, LOADED);
  workers[0].ended('all', 200, 1, 1);
  const { types } = await scrape();
  assert.match(METRICS_CONTENT_TYPE, /^text\/plain; version=0\.0\.4/);
  for (const [name, type] of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
  const ours = [...types].filter(([name]) => name.startsWith('vulndex_'));
  assert.deepEqual(Object.fromEntries(ours), {
    vulndex_build_info: 'gauge',
    vulndex_requests_total: 'counter',
    vulndex_request_duration_seconds: 'histogram',
    vulndex_requests_in_flight: 'gauge',
    vulndex_requests_abandoned_total: 'counter',
    vulndex_replies_cut_off_total: 'counter',
    vulndex_response_body_bytes_total: 'counter',
    vulndex_limiter_refusals_total: 'counter',
    vulndex_auth_failures_total: 'counter',
    vulndex_connections_open: 'gauge',
    vulndex_event_loop_lag_seconds: 'gauge',
    vulndex_snapshot_info: 'gauge',
    vulndex_snapshot_age_seconds: 'gauge',
    vulndex_snapshot_built_timestamp_seconds: 'gauge',
    vulndex_snapshot_file_bytes: 'gauge',
    vulndex_snapshot_advisories: 'gauge',
    vulndex_snapshots_kept: 'gauge',
    vulndex_prepared_bytes: 'gauge',
    vulndex_preparer_failures_total: 'counter',
    vulndex_condition: 'gauge',
    vulndex_snapshot_loads_total: 'counter',
    vulndex_snapshot_refusals_total: 'counter',
    vulndex_worker_restarts_total: 'counter',
    vulndex_keys_file_stalled: 'gauge',
  });
  assert.equal(types.get('process_resident_memory_bytes'), 'gauge');
  assert.equal(types.get('process_cpu_seconds_total'), 'counter');
});

test('each condition is 1 while it lasts and 0 otherwise', async () => {
  const { scrape } = setUp(1, {
    ...EMPTY,
    conditions: [{ name: 'rolled_back', sinceMs: NOW_MS, answered: 'from old.vdx', reason: undefined }],
  });
  const { values } = await scrape();
  for (const name of CONDITION_NAMES) {
    const expected = name === 'rolled_back' ? 1 : 0;
    assert.equal(values.get(`vulndex_condition{condition="${name}"}`), expected, name);
  }
});

test('requests of two workers are summed, and refusals are derived from their statuses', async () => {
  const { workers, scrape } = setUp(2, EMPTY);
  for (const worker of workers) {
    for (const [label, status, bodyBytes] of [
      ['product', 200, 50],
      ['product', 429, 7],
      ['exists', 429, 7],
      ['exists', 401, 0],
    ] as const) {
      worker.started();
      worker.ended(label, status, 0.02, bodyBytes);
    }
    for (let i = 0; i < 3; i++) worker.started();
    worker.abandoned();
    worker.started();
    worker.cutOff(10);
  }
  workers[1].started();
  workers[1].ended('all', 403, 0.01, 0);
  const { values } = await scrape();
  const expected = {
    'vulndex_requests_total{endpoint="product",dialect="patchstack",status="200"}': 2,
    'vulndex_requests_total{endpoint="product",dialect="patchstack",status="429"}': 2,
    'vulndex_requests_total{endpoint="npm-bulk",dialect="npm-audit",status="200"}': 0,
    'vulndex_requests_total{endpoint="other",dialect="other",status="404"}': 0,
    'vulndex_requests_total{endpoint="healthz",dialect="service",status="200"}': 0,
    vulndex_limiter_refusals_total: 4,
    'vulndex_auth_failures_total{reason="unauthenticated"}': 2,
    'vulndex_auth_failures_total{reason="forbidden"}': 1,
    vulndex_response_body_bytes_total: 148,
    vulndex_requests_abandoned_total: 2,
    vulndex_replies_cut_off_total: 2,
    vulndex_requests_in_flight: 4,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(values.get(name), value, name);
});

test('buckets never decrease, the last equals the count, and sums are in seconds', async () => {
  const { workers, scrape } = setUp(2, EMPTY);
  for (let i = 0; i < 200; i++) workers[i % 2].ended('latest', 200, 0.001 * 1.09 ** i, 0);
  workers[0].ended('latest', 200, 5_000, 0);
  const { values } = await scrape();
  const name = 'vulndex_request_duration_seconds';
  for (const label of ROUTE_LABELS) {
    const bounds = [...LATENCY_BOUNDS.map(String), '+Inf'];
    const labels = `endpoint="${label}",dialect="${DIALECTS_BY_LABEL.get(label)}"`;
    const buckets = bounds.map((le) => values.get(`${name}_bucket{${labels},le="${le}"}`) as number);
    assert.ok(buckets.every((value) => Number.isInteger(value)));
    assert.ok(buckets.every((value, i) => i === 0 || value >= buckets[i - 1]));
    assert.equal(buckets.at(-1), values.get(`${name}_count{${labels}}`));
  }
  assert.equal(values.get(`${name}_count{endpoint="latest",dialect="patchstack"}`), 201);
  assert.ok((values.get(`${name}_sum{endpoint="latest",dialect="patchstack"}`) as number) > 5);
  assert.ok((values.get(`${name}_bucket{endpoint="latest",dialect="patchstack",le="1"}`) as number) < 201);
});

test('build_info shows the release and its Node version', async () => {
  const { values } = await setUp(1, EMPTY).scrape();
  assert.equal(values.get(`vulndex_build_info{version="1.2.3",node="${process.version}"}`), 1);
});

test('each worker shows its connections and its lag', async () => {
  const { workers, scrape } = setUp(2, EMPTY);
  workers[1].connected();
  workers[1].lag(0.002, 0.25);
  const { values } = await scrape();
  assert.equal(values.get('vulndex_connections_open{worker="0"}'), 0);
  assert.equal(values.get('vulndex_connections_open{worker="1"}'), 1);
  assert.equal(values.get('vulndex_event_loop_lag_seconds{worker="1",stat="mean"}'), 0.002);
  assert.equal(values.get('vulndex_event_loop_lag_seconds{worker="1",stat="max"}'), 0.25);
});

test('a snapshot shows its id, age, size and contents', async () => {
  const { values } = await setUp(1, LOADED).scrape();
  const expected = {
    'vulndex_snapshot_info{id="0123456789abcdef",format="3"}': 1,
    vulndex_snapshot_age_seconds: 90.5,
    vulndex_snapshot_built_timestamp_seconds: (NOW_MS - 90_500) / 1000,
    vulndex_snapshot_file_bytes: 4096,
    'vulndex_snapshot_advisories{type="plugin"}': 4,
    'vulndex_snapshot_advisories{type="npm"}': 1,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(values.get(name), value, name);
});

test('without a snapshot there is no age, rather than one of 0', async () => {
  const { values } = await setUp(1, EMPTY).scrape();
  assert.deepEqual(
    [...values.keys()].filter((name) => /^vulndex_snapshot_(?!loads|refusals)/.test(name)),
    [],
  );
});

test('loads, refusals and restarts are counted, and every code and reason is present from the start', async () => {
  const { metrics, scrape } = setUp(1, EMPTY);
  const before = (await scrape()).values;
  for (const code of SNAPSHOT_ERROR_CODES) {
    assert.equal(before.get(`vulndex_snapshot_refusals_total{code="${code}"}`), 0);
  }
  assert.equal(before.get('vulndex_worker_restarts_total{reason="hung"}'), 0);
  assert.equal(before.get('vulndex_snapshot_loads_total'), 0);
  metrics.loadSucceeded();
  metrics.loadRefused('truncated');
  metrics.loadRefused('truncated');
  metrics.workerRestarted('crashed');
  const after = (await scrape()).values;
  assert.equal(after.get('vulndex_snapshot_loads_total'), 1);
  assert.equal(after.get('vulndex_snapshot_refusals_total{code="truncated"}'), 2);
  assert.equal(after.get('vulndex_worker_restarts_total{reason="crashed"}'), 1);
  assert.equal(after.get('vulndex_worker_restarts_total{reason="hung"}'), 0);
});

test('two sets of metrics in one process do not mix', async () => {
  const one = setUp(1, EMPTY);
  const other = setUp(1, LOADED);
  one.workers[0].ended('all', 200, 1, 1);
  const name = 'vulndex_requests_total{endpoint="all",dialect="patchstack",status="200"}';
  assert.equal((await one.scrape()).values.get(name), 1);
  assert.equal((await other.scrape()).values.get(name), 0);
});

test('stalled storage of the keys file shows until it answers', async () => {
  const { metrics } = setUp(1, EMPTY);
  const shown = async (): Promise<number> =>
    Number(/^vulndex_keys_file_stalled (\d)$/m.exec(await metrics.render())?.[1]);
  assert.equal(await shown(), 0);
  metrics.keysFileStalled(true);
  assert.equal(await shown(), 1);
  metrics.keysFileStalled(false);
  assert.equal(await shown(), 0);
});

test('dropped log lines and the cap on connections are shown', async () => {
  const metrics = new Metrics(new CountersView(allocateCounters(1)), () => EMPTY);
  let dropped = 3;
  metrics.exposeLog(() => dropped);
  metrics.exposeMaxConnections(500);
  dropped = 7;
  const { values, types } = parse(await metrics.render());
  assert.equal(values.get('vulndex_log_lines_dropped_total'), 7);
  assert.equal(types.get('vulndex_log_lines_dropped_total'), 'counter');
  assert.equal(values.get('vulndex_connections_max'), 500);
});

test('the CPU time of the process is all that it has used, also before the first scrape', async () => {
  const before = process.cpuUsage();
  const { values } = await setUp(1, EMPTY).scrape();
  const after = process.cpuUsage();
  for (const [name, least, most] of [
    ['process_cpu_user_seconds_total', before.user, after.user],
    ['process_cpu_system_seconds_total', before.system, after.system],
    ['process_cpu_seconds_total', before.user + before.system, after.user + after.system],
  ] as const) {
    const microseconds = Math.round((values.get(name) ?? 0) * 1e6);
    assert.ok(microseconds >= least && microseconds <= most, `${name}: ${least}, ${microseconds}, ${most}`);
  }
});

test('the quotas of a fleet are shown where it shares them', async () => {
  const leaser = {
    mode: 'local',
    problem: undefined,
    replicas: 3,
    keys: 4,
    calls: 5,
    failures: 6,
    granted: 7,
    returned: 8,
    grantedLocally: 9,
    lostKeys: 10,
    lostStates: 11,
    clockOffsetMs: 0,
    evictionPolicy: undefined,
  } as const;
  const limits = { engine: 'valkey://cache:6379/0', replica: 'r', leaser };
  const metrics = new Metrics(new CountersView(allocateCounters(1)), () => ({ ...EMPTY, limits }));
  metrics.exposeQuotas();
  const { values } = parse(await metrics.render());
  const shown = [...values].flatMap(([name, value]) => (name.startsWith('vulndex_quota_') ? [value] : []));
  assert.deepEqual(shown, [3, 4, 1, 5, 6, 7, 9, 8, 10, 11]);
});
