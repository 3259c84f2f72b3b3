import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import {
  allocateCounters,
  COUNTED_STATUSES,
  type CountersReading,
  CountersView,
  clearGauges,
  LATENCY_BOUNDS,
  WorkerCounters,
} from '../../src/serve/counters.ts';

function requestCount(reading: CountersReading, label: string, status: number | 'other'): number {
  return reading.requests.find((entry) => entry.label === label && entry.status === status)?.count ?? NaN;
}

function latency(
  reading: CountersReading,
  label: string,
): { at: (seconds: number) => number; count: number; sumSeconds: number } {
  const entry = reading.latencies.find((entry) => entry.label === label);
  assert.ok(entry !== undefined);
  const at = (seconds: number): number =>
    entry.cumulative[LATENCY_BOUNDS.indexOf(seconds as (typeof LATENCY_BOUNDS)[number])];
  return { at, count: entry.count, sumSeconds: entry.sumSeconds };
}

test('a request is counted under its label and status, and the rows of two workers add up', () => {
  const counters = allocateCounters(2);
  const first = new WorkerCounters(counters, 0);
  const second = new WorkerCounters(counters, 1);
  const view = new CountersView(counters);
  for (const [worker, status] of [
    [first, 200],
    [second, 200],
    [second, 429],
  ] as const) {
    worker.started();
    worker.ended('product', status, 0.02, 100);
  }
  assert.equal(view.workerCount, 2);
  assert.equal(requestCount(view.worker(0), 'product', 200), 1);
  assert.equal(requestCount(view.worker(1), 'product', 200), 1);
  assert.equal(requestCount(view.sum(), 'product', 200), 2);
  assert.equal(requestCount(view.sum(), 'product', 429), 1);
  assert.equal(requestCount(view.sum(), 'exists', 200), 0);
  assert.equal(view.sum().bodyBytes, 300);
  assert.equal(view.sum().inFlight, 0);
});

test('a status that is not counted separately goes to other, however large', () => {
  const counters = allocateCounters(1);
  const worker = new WorkerCounters(counters, 0);
  for (const status of [100, 302, 418, 599, 600, 999, 0]) worker.ended('other', status, 1, 0);
  const reading = new CountersView(counters).sum();
  assert.equal(requestCount(reading, 'other', 'other'), 7);
  assert.equal(
    reading.requests.reduce((sum, { count }) => sum + count, 0),
    7,
  );
});

test('every label and status has a cell of its own', () => {
  const counters = allocateCounters(1);
  const worker = new WorkerCounters(counters, 0);
  let next = 0;
  const expected = ROUTE_LABELS.flatMap((label) =>
    COUNTED_STATUSES.map((status) => {
      next += 1;
      for (let i = 0; i < next; i++) worker.ended(label, status, 0.001, 0);
      return { label, status, count: next };
    }),
  );
  const { requests } = new CountersView(counters).worker(0);
  assert.deepEqual(
    requests.filter(({ status }) => status !== 'other'),
    expected,
  );
});

test('a latency equal to a bound is within it, and one above all bounds is only in the count', () => {
  const counters = allocateCounters(1);
  const worker = new WorkerCounters(counters, 0);
  worker.ended('all', 200, 1000, 0);
  worker.ended('all', 200, 1001, 0);
  worker.ended('all', 200, 0, 0);
  const reading = latency(new CountersView(counters).sum(), 'all');
  assert.equal(reading.at(0.000005), 1);
  assert.equal(reading.at(0.5), 1);
  assert.equal(reading.at(1), 2);
  assert.equal(reading.count, 3);
  assert.ok(Math.abs(reading.sumSeconds - 2.001) < 1e-9);
});

test('the buckets agree with counting the latencies one by one', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }), { maxLength: 60 }), (tooksMs) => {
      const counters = allocateCounters(3);
      for (const [i, tookMs] of tooksMs.entries()) {
        // A new writer each time, as after a replacement.
        new WorkerCounters(counters, i % 3).ended('batch', 200, tookMs, 0);
      }
      const entry = new CountersView(counters).sum().latencies[ROUTE_LABELS.indexOf('batch')];
      assert.deepEqual(
        entry.cumulative,
        LATENCY_BOUNDS.map((bound) => tooksMs.filter((tookMs) => tookMs / 1000 <= bound).length),
      );
      assert.equal(entry.count, tooksMs.length);
    }),
  );
});

test('connections and requests in flight rise and fall; an abandoned or cut-off request is no longer in flight', () => {
  const counters = allocateCounters(1);
  const worker = new WorkerCounters(counters, 0);
  const view = new CountersView(counters);
  worker.connected();
  worker.connected();
  worker.started();
  worker.started();
  worker.started();
  worker.ended('batch', 200, 1, 0);
  worker.abandoned();
  worker.started();
  worker.cutOff(5);
  worker.disconnected();
  assert.equal(view.connections(0), 1);
  const { connections, inFlight, abandoned, cutOff, bodyBytes } = view.sum();
  assert.deepEqual([connections, inFlight, abandoned, cutOff, bodyBytes], [1, 1, 1, 1, 5]);
  assert.equal(
    view.sum().requests.reduce((sum, { count }) => sum + count, 0),
    1,
    'it does not count as an answer',
  );
});

test("a replacement continues its predecessor's counts and starts without connections", () => {
  const counters = allocateCounters(2);
  const view = new CountersView(counters);
  const neighbour = new WorkerCounters(counters, 1);
  neighbour.connected();
  for (const life of [1, 2]) {
    const worker = new WorkerCounters(counters, 0);
    assert.deepEqual([view.connections(0), view.worker(0).inFlight], [0, 0]);
    assert.deepEqual(view.lag(0), { meanSeconds: 0, maxSeconds: 0 });
    worker.connected();
    worker.started();
    worker.started();
    worker.ended('all', 200, 1, 10);
    worker.lag(0.001, 0.5);
    worker.beat();
    assert.equal(requestCount(view.worker(0), 'all', 200), life);
    assert.equal(view.worker(0).bodyBytes, 10 * life);
    assert.equal(view.beat(0), 2 * life, 'a heartbeat and a request');
    assert.deepEqual([view.connections(0), view.worker(0).inFlight], [1, 1]);
    assert.deepEqual(view.lag(0), { meanSeconds: 0.001, maxSeconds: 0.5 });
  }
  clearGauges(counters, 0);
  assert.equal(view.connections(0), 0);
  assert.equal(view.connections(1), 1);
  assert.equal(view.beat(0), 4);
});

test('every request that ends is a sign of life, whatever its end', () => {
  const counters = allocateCounters(1);
  const view = new CountersView(counters);
  const worker = new WorkerCounters(counters, 0);
  const ends = [
    () => worker.ended('all', 200, 1, 10),
    () => worker.ended('osv-query', 429, 2_000, 0),
    () => worker.abandoned(),
    () => worker.cutOff(7),
  ];
  for (const end of ends) {
    const before = view.beat(0);
    worker.started();
    end();
    assert.equal(view.beat(0), before + 1);
  }
});

test('a mean of no samples is a lag of 0', () => {
  const counters = allocateCounters(1);
  new WorkerCounters(counters, 0).lag(Number.NaN, Number.NaN);
  assert.deepEqual(new CountersView(counters).lag(0), { meanSeconds: 0, maxSeconds: 0 });
});

test('a worker index out of range is an internal error', () => {
  const counters = allocateCounters(2);
  assert.throws(() => new WorkerCounters(counters, 2), { name: 'AssertionError' });
  assert.throws(() => new CountersView(counters).worker(-1), { name: 'AssertionError' });
});

test('counts written by another thread are seen', async () => {
  const counters = allocateCounters(2);
  // Worker threads do not take part in the loader that runs these tests, so the row is written as plain
  // cells.
  const source = `
    const { workerData } = require('node:worker_threads');
    const cells = new Float64Array(workerData);
    cells[cells.length / 2] += 5;
  `;
  const thread = new Worker(source, { eval: true, workerData: counters });
  await new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject));
  const { requests } = new CountersView(counters).worker(1);
  assert.deepEqual(requests[0], { label: ROUTE_LABELS[0], status: COUNTED_STATUSES[0], count: 5 });
});

test('a worker’s figures are its answers by class of status, its durations by bucket over all labels, and its gauges', () => {
  const counters = allocateCounters(2);
  const worker = new WorkerCounters(counters, 1);
  const statuses = [200, 202, 204, 304, 307, 400, 409, 429, 500, 503, 599];
  for (const [i, status] of statuses.entries()) {
    worker.started();
    worker.ended(ROUTE_LABELS[i % ROUTE_LABELS.length], status, i === 0 ? 2_000 : 0.004, 1);
  }
  worker.started();
  worker.connected();
  worker.lag(0.1, 0.2);
  worker.memory(30, 40);
  worker.runsAs(50);
  const { buckets, ...figures } = new CountersView(counters).figures(1);
  assert.deepEqual(figures, {
    ...{ ok: 3, redirected: 2, refused: 2, limited: 1, failed: 3 },
    ...{ inFlight: 1, connections: 1, lagMaxSeconds: 0.2, pendingBytes: 30, heapBytes: 40, threadId: 50 },
  });
  assert.deepEqual(Array.from(buckets), [10, ...Array(LATENCY_BOUNDS.length - 1).fill(0), 1]);
  clearGauges(counters, 1);
  const { threadId, heapBytes, pendingBytes, ok } = new CountersView(counters).figures(1);
  assert.deepEqual([threadId, heapBytes, pendingBytes, ok], [0, 0, 0, 3]);
  assert.equal(new CountersView(counters).figures(0).ok, 0);
});
