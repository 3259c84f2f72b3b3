import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allocateCounters,
  CountersView,
  LATENCY_BOUNDS,
  WorkerCounters,
} from '../../../../src/serve/counters.ts';
import type { Point } from '../../../../src/serve/operations/figures/history.ts';
import { percentileMs } from '../../../../src/serve/operations/figures/percentile.ts';
import { Sampler } from '../../../../src/serve/operations/figures/sampler.ts';

const START_MS = Date.UTC(2026, 0, 1); // the beginning of a minute

/** A sampler over two workers' counters, with a clock that a test moves on. */
function scene() {
  const counters = allocateCounters(2);
  const workers = [0, 1].map((index) => new WorkerCounters(counters, index));
  for (const [index, worker] of workers.entries()) worker.runsAs(index + 1);
  const seconds: Point[] = [];
  const minutes: Point[] = [];
  let clears = 0;
  const history = {
    addSecond: (point: Point) => seconds.push(point),
    addMinute: (point: Point) => minutes.push(point),
    clear: () => {
      clears++;
    },
  };
  const cpu = [0, 0];
  const sources = {
    counters: new CountersView(counters),
    rssBytes: () => 1_000,
    cpuSeconds: (threadId: number) => cpu[threadId - 1],
  };
  const sampler = new Sampler(sources, history as never, 0); // as much of a history as it uses
  return {
    workers,
    cpu,
    seconds,
    minutes,
    sampler,
    clears: () => clears,
    at: (second: number, elapsedSeconds = second) =>
      sampler.sample(START_MS + second * 1000, elapsedSeconds * 1000),
  };
}

function answer(worker: WorkerCounters, status: number, tookMs = 0.02): void {
  worker.started();
  worker.ended('product', status, tookMs, 10);
}

test('a point has the rates of its second, by class of status, and the gauges of all workers', () => {
  const { workers, cpu, seconds, sampler, at } = scene();
  at(1);
  for (const status of [200, 200, 202, 304, 401, 404, 429, 500, 503]) answer(workers[0], status);
  answer(workers[1], 200);
  workers[1].started();
  workers[1].connected();
  workers[0].memory(500, 7_000);
  workers[1].memory(20, 3_000);
  workers[1].lag(0.001, 0.25);
  cpu[0] = 0.5;
  cpu[1] = 2;
  at(3);
  const { values, cpu: shares, at: time } = seconds[1];
  assert.equal(time, START_MS / 1000 + 3);
  const { requests, s2xx, s3xx, s4xx, s429, s5xx } = values;
  assert.deepEqual([requests, s2xx, s3xx, s4xx, s429, s5xx], [5, 2, 0.5, 1, 0.5, 1], 'over two seconds');
  assert.deepEqual(
    [values.in_flight, values.connections, values.pending_bytes, values.lag_ms, values.rss_bytes],
    [1, 1, 520, 250, 1_000],
  );
  assert.deepEqual(shares, [0.25, 1]);
  assert.equal(sampler.heapBytes, 10_000);
  assert.deepEqual(
    sampler.workers.map(({ requestsPerSecond, connections, lagMs }) => [
      requestsPerSecond,
      connections,
      lagMs,
    ]),
    [
      [4.5, 0, 0],
      [0.5, 1, 250],
    ],
  );
});

test('a second without a request has rates of 0 and no percentile', () => {
  const { workers, seconds, at } = scene();
  answer(workers[0], 200);
  at(1);
  at(2);
  assert.ok((seconds[0].values.p99_ms ?? 0) > 0);
  const { requests, p50_ms, p99_ms } = seconds[1].values;
  assert.deepEqual([requests, p50_ms, p99_ms], [0, undefined, undefined]);
});

test('a second sample of the same second adds no point, and what was counted goes to the next', () => {
  const { workers, seconds, at } = scene();
  at(1);
  answer(workers[0], 200);
  at(1, 1.4);
  at(2);
  assert.deepEqual(
    seconds.map(({ values }) => values.requests),
    [0, 1],
  );
});

test('a minute is added when it is over: means, the highest, and the percentiles of all its requests', () => {
  const { workers, seconds, minutes, at } = scene();
  const buckets = new Array<number>(LATENCY_BOUNDS.length + 1).fill(0);
  for (let second = 0; second < 60; second++) {
    // Most requests come in one second and are fast: a mean of the seconds' percentiles would hardly show
    // them.
    const [count, tookMs] = second === 30 ? [1_000, 0.02] : [1, 40];
    for (let i = 0; i < count; i++) answer(workers[0], 200, tookMs);
    buckets[LATENCY_BOUNDS.findIndex((bound) => tookMs / 1000 <= bound)] += count;
    workers[0].lag(0, second === 12 ? 0.3 : 0.001);
    at(second, second + 1);
  }
  assert.equal(minutes.length, 0);
  at(60, 61);
  assert.equal(minutes.length, 1);
  const [{ at: time, values, cpu }] = minutes;
  assert.equal(time, START_MS / 1000);
  assert.equal(values.requests, 1_059 / 60);
  assert.equal(values.lag_ms, 300);
  assert.equal(values.p50_ms, percentileMs(buckets, LATENCY_BOUNDS, 0.5));
  assert.equal(values.p99_ms, percentileMs(buckets, LATENCY_BOUNDS, 0.99));
  assert.ok((values.p50_ms ?? 0) < 0.03);
  assert.ok(seconds.slice(0, 30).every((point) => (point.values.p50_ms ?? 0) > 20));
  assert.equal(cpu.length, 2);
});

test('a clock that was set back begins a new history', () => {
  const { seconds, minutes, clears, at } = scene();
  at(100, 1);
  at(5, 2);
  at(6, 3);
  assert.deepEqual([clears(), seconds.length, minutes.length], [1, 3, 0]);
});
