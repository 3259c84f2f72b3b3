// Counters of the worker threads, in shared memory: each worker adds to its own row, the supervisor reads
// them all. Owns the layout of a row; metrics.ts names and exposes the figures.
//
//   row   | requests by label, then status | latencies by label: cells, sum | scalars | gap |
//
// A row has one writer, so adding needs no atomics. A reader may see a request in one cell and not yet in the
// next, but never half a number: aligned doubles are stored by one instruction on every machine that has a
// uWebSockets binary.

import assert from 'node:assert/strict';
import { ROUTE_LABELS } from '../dialects/dialects.ts';
import type { RequestObserver } from '../http/observer.ts';
import { STATUSES, type Status } from '../http/replies/reply-headers.ts';

/** Statuses counted separately; `other` takes the rest. */
export const COUNTED_STATUSES = STATUSES;
export type CountedStatus = Status | 'other';

/** Upper bounds in seconds. A lookup takes some 10 us, a page of a listing up to a millisecond. */
export const LATENCY_BOUNDS = [
  0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
  0.25, 0.5, 1,
] as const;

const STATUS_CELLS = COUNTED_STATUSES.length + 1;
const BUCKET_CELLS = LATENCY_BOUNDS.length + 1; // the last is for durations above every bound
const LATENCY_CELLS = BUCKET_CELLS + 1; // and the sum of seconds
const LATENCY_AT = ROUTE_LABELS.length * STATUS_CELLS;
const SCALARS_AT = LATENCY_AT + ROUTE_LABELS.length * LATENCY_CELLS;
const ABANDONED = SCALARS_AT;
const CUT_OFF = SCALARS_AT + 1;
const BODY_BYTES = SCALARS_AT + 2;
const BEATS = SCALARS_AT + 3;
const IN_FLIGHT = SCALARS_AT + 4;
const CONNECTIONS = SCALARS_AT + 5;
const LAG_MEAN = SCALARS_AT + 6;
const LAG_MAX = SCALARS_AT + 7;
const PENDING_BYTES = SCALARS_AT + 8;
const HEAP_BYTES = SCALARS_AT + 9;
const THREAD_ID = SCALARS_AT + 10;
const ROW_CELLS = SCALARS_AT + 11;
// Seven unused doubles keep the last cell of a row and the first of the next 64 bytes apart, wherever the
// buffer begins: two workers never write to the same cache line.
const ROW_STRIDE = ROW_CELLS + 7;

const LABEL_ROWS = new Map<string, number>(ROUTE_LABELS.map((label, row) => [label, row]));
const STATUS_COLUMNS = new Uint8Array(600).fill(COUNTED_STATUSES.length);
for (const [column, status] of COUNTED_STATUSES.entries()) STATUS_COLUMNS[status] = column;

/** Zeroed rows for that many workers. */
export function allocateCounters(workerCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(workerCount * ROW_STRIDE * Float64Array.BYTES_PER_ELEMENT);
}

/**
 * Zeroes the gauges of a dead worker: connections, requests in flight, lag, memory, its thread.
 * Requires: the worker has ended.
 */
export function clearGauges(counters: SharedArrayBuffer, worker: number): void {
  rowOf(counters, worker).fill(0, IN_FLIGHT, ROW_CELLS);
}

/** The writing side, in a worker thread. A replacement continues its predecessor's counts. */
export class WorkerCounters implements RequestObserver {
  readonly #row: Float64Array;

  /** Requires: no other writer of this row is alive. */
  constructor(counters: SharedArrayBuffer, worker: number) {
    this.#row = rowOf(counters, worker);
    clearGauges(counters, worker);
  }

  connected(): void {
    this.#row[CONNECTIONS] += 1;
  }

  disconnected(): void {
    this.#row[CONNECTIONS] -= 1;
  }

  started(): void {
    this.#row[IN_FLIGHT] += 1;
  }

  ended(label: string, status: number, tookMs: number, bodyBytes: number): void {
    const row = this.#row;
    const labelRow = LABEL_ROWS.get(label) as number; // the map has every label
    const seconds = tookMs / 1000;
    const latencyAt = LATENCY_AT + labelRow * LATENCY_CELLS;
    row[labelRow * STATUS_CELLS + (STATUS_COLUMNS[status] ?? COUNTED_STATUSES.length)] += 1;
    row[latencyAt + bucketOf(seconds)] += 1;
    row[latencyAt + BUCKET_CELLS] += seconds;
    row[BODY_BYTES] += bodyBytes;
    row[IN_FLIGHT] -= 1;
  }

  abandoned(): void {
    this.#row[ABANDONED] += 1;
    this.#row[IN_FLIGHT] -= 1;
  }

  cutOff(bodyBytes: number): void {
    this.#row[CUT_OFF] += 1;
    this.#row[BODY_BYTES] += bodyBytes;
    this.#row[IN_FLIGHT] -= 1;
  }

  /** How late the event loop was in the last interval; NaN, the mean of no samples, counts as 0. */
  lag(meanSeconds: number, maxSeconds: number): void {
    this.#row[LAG_MEAN] = meanSeconds || 0;
    this.#row[LAG_MAX] = maxSeconds || 0;
  }

  /** Bytes held for slow readers and incomplete bodies, and bytes of V8's heap. */
  memory(pendingBytes: number, heapBytes: number): void {
    this.#row[PENDING_BYTES] = pendingBytes;
    this.#row[HEAP_BYTES] = heapBytes;
  }

  /** The kernel's number of this thread. */
  runsAs(threadId: number): void {
    this.#row[THREAD_ID] = threadId;
  }

  /** Shows that the event loop is running. */
  beat(): void {
    this.#row[BEATS] += 1;
  }
}

interface RequestCount {
  readonly label: string;
  readonly status: CountedStatus;
  readonly count: number;
}

interface LatencyReading {
  readonly label: string;
  /** For each of LATENCY_BOUNDS: the requests that took at most that long. */
  readonly cumulative: readonly number[];
  /** All requests; never less than the last of `cumulative`. */
  readonly count: number;
  readonly sumSeconds: number;
}

export interface CountersReading {
  /** Every pair of label and status, including zeros. */
  readonly requests: readonly RequestCount[];
  /** Every label, in the order of ROUTE_LABELS. */
  readonly latencies: readonly LatencyReading[];
  readonly abandoned: number;
  readonly cutOff: number;
  readonly bodyBytes: number;
  readonly inFlight: number;
  readonly connections: number;
}

interface LagReading {
  readonly meanSeconds: number;
  readonly maxSeconds: number;
}

/** What a worker and its predecessors answered, in few numbers, and its gauges. */
export interface WorkerFigures {
  /** By class of status; a 429 is in `limited` alone. */
  readonly ok: number;
  readonly redirected: number;
  readonly refused: number;
  readonly limited: number;
  readonly failed: number;
  /** Over all labels: one element for each of LATENCY_BOUNDS, and one for longer durations. */
  readonly buckets: Float64Array;
  readonly inFlight: number;
  readonly connections: number;
  readonly lagMaxSeconds: number;
  readonly pendingBytes: number;
  readonly heapBytes: number;
  /** 0 if it is not known. */
  readonly threadId: number;
}

/** The reading side. Every call rereads the shared memory. */
export class CountersView {
  readonly workerCount: number;
  readonly #counters: SharedArrayBuffer;

  constructor(counters: SharedArrayBuffer) {
    this.#counters = counters;
    this.workerCount = counters.byteLength / (ROW_STRIDE * Float64Array.BYTES_PER_ELEMENT);
  }

  /** What one worker and its predecessors did. */
  worker(worker: number): CountersReading {
    return read(rowOf(this.#counters, worker));
  }

  /** What all workers did. */
  sum(): CountersReading {
    const sums = new Float64Array(ROW_CELLS);
    for (let worker = 0; worker < this.workerCount; worker++) {
      const row = rowOf(this.#counters, worker);
      for (let cell = 0; cell < ROW_CELLS; cell++) sums[cell] += row[cell];
    }
    return read(sums);
  }

  connections(worker: number): number {
    return rowOf(this.#counters, worker)[CONNECTIONS];
  }

  /**
   * Grows with every heartbeat and with every request that ends, and never decreases, not even when the
   * worker is replaced: one that answers is alive, even if its timers are late.
   */
  beat(worker: number): number {
    const row = rowOf(this.#counters, worker);
    let beats = row[BEATS] + row[ABANDONED] + row[CUT_OFF];
    for (let cell = 0; cell < LATENCY_AT; cell++) beats += row[cell];
    return beats;
  }

  figures(worker: number): WorkerFigures {
    return figuresOf(rowOf(this.#counters, worker));
  }

  lag(worker: number): LagReading {
    const row = rowOf(this.#counters, worker);
    return { meanSeconds: row[LAG_MEAN], maxSeconds: row[LAG_MAX] };
  }
}

function rowOf(counters: SharedArrayBuffer, worker: number): Float64Array {
  const rowBytes = ROW_STRIDE * Float64Array.BYTES_PER_ELEMENT;
  assert.ok(
    worker >= 0 && (worker + 1) * rowBytes <= counters.byteLength,
    `no counters for worker ${worker}`,
  );
  return new Float64Array(counters, worker * rowBytes, ROW_CELLS);
}

/** Index of the bucket. Most requests fall in the first few, so a linear scan beats bisection. */
function bucketOf(seconds: number): number {
  let bucket = 0;
  while (bucket < LATENCY_BOUNDS.length && seconds > LATENCY_BOUNDS[bucket]) bucket++;
  return bucket;
}

function read(row: Float64Array): CountersReading {
  return {
    requests: ROUTE_LABELS.flatMap((label, labelRow) =>
      [...COUNTED_STATUSES, 'other' as const].map((status, column) => {
        return { label, status, count: row[labelRow * STATUS_CELLS + column] };
      }),
    ),
    latencies: ROUTE_LABELS.map((label, labelRow) => readLatency(row, label, labelRow)),
    abandoned: row[ABANDONED],
    cutOff: row[CUT_OFF],
    bodyBytes: row[BODY_BYTES],
    inFlight: row[IN_FLIGHT],
    connections: row[CONNECTIONS],
  };
}

function figuresOf(row: Float64Array): WorkerFigures {
  const buckets = new Float64Array(BUCKET_CELLS);
  const classes = new Float64Array(STATUS_CELLS);
  for (let label = 0; label < ROUTE_LABELS.length; label++) {
    const statusAt = label * STATUS_CELLS;
    const latencyAt = LATENCY_AT + label * LATENCY_CELLS;
    for (let i = 0; i < STATUS_CELLS; i++) classes[i] += row[statusAt + i];
    for (let i = 0; i < BUCKET_CELLS; i++) buckets[i] += row[latencyAt + i];
  }
  const sumOf = (isOfClass: (status: number) => boolean): number =>
    COUNTED_STATUSES.reduce((sum, status, i) => (isOfClass(status) ? sum + classes[i] : sum), 0);
  return {
    ok: sumOf((status) => status < 300),
    redirected: sumOf((status) => status >= 300 && status < 400),
    refused: sumOf((status) => status >= 400 && status < 500 && status !== 429),
    limited: sumOf((status) => status === 429),
    failed: sumOf((status) => status >= 500) + classes[COUNTED_STATUSES.length],
    buckets,
    inFlight: row[IN_FLIGHT],
    connections: row[CONNECTIONS],
    lagMaxSeconds: row[LAG_MAX],
    pendingBytes: row[PENDING_BYTES],
    heapBytes: row[HEAP_BYTES],
    threadId: row[THREAD_ID],
  };
}

function readLatency(row: Float64Array, label: string, labelRow: number): LatencyReading {
  const start = LATENCY_AT + labelRow * LATENCY_CELLS;
  let count = 0;
  const cumulative = LATENCY_BOUNDS.map((_, bucket) => {
    count += row[start + bucket];
    return count;
  });
  // Summed rather than stored, so that it agrees with the buckets while a worker is writing.
  count += row[start + LATENCY_BOUNDS.length];
  return { label, cumulative, count, sumSeconds: row[start + BUCKET_CELLS] };
}
