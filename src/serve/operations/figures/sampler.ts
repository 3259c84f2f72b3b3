// Makes a point of figures each second from what the workers count, and a point
// of each minute from its seconds.

import { MEASURES, type Measure } from '../../../dialects/operations/document.ts';
import { type CountersView, LATENCY_BOUNDS, type WorkerFigures } from '../../counters.ts';
import { COLUMNS, type History, type Point } from './history.ts';
import { percentileMs } from './percentile.ts';
import { CpuMeter } from './thread-cpu.ts';

const MINUTE_SECONDS = 60;

/** One worker in the last second. */
export interface WorkerSample {
  /** Of one core; undefined if it cannot be known. */
  readonly cpu: number | undefined;
  readonly requestsPerSecond: number;
  readonly connections: number;
  readonly lagMs: number;
}

export interface SamplerSources {
  readonly counters: Pick<CountersView, 'workerCount' | 'figures'>;
  readonly rssBytes: () => number;
  /** By default the kernel's account. */
  readonly cpuSeconds?: (threadId: number) => number | undefined;
}

type Classes = Pick<WorkerFigures, 'ok' | 'redirected' | 'refused' | 'limited' | 'failed'>;
const CLASSES = ['ok', 'redirected', 'refused', 'limited', 'failed'] as const satisfies (keyof Classes)[];

export class Sampler {
  readonly #sources: SamplerSources;
  readonly #history: Pick<History, 'addSecond' | 'addMinute' | 'clear'>;
  readonly #meters: readonly CpuMeter[];
  #before: readonly WorkerFigures[];
  #beforeMs: number;
  #lastAt = 0;
  #minute: MinuteSum | undefined;
  #workers: readonly WorkerSample[];
  #heapBytes = 0;

  /** `nowMs` is the monotonic clock, here and below. */
  constructor(sources: SamplerSources, history: SamplerHistory, nowMs: number) {
    const { counters, cpuSeconds } = sources;
    this.#sources = sources;
    this.#history = history;
    this.#meters = Array.from({ length: counters.workerCount }, () => new CpuMeter(cpuSeconds));
    this.#before = this.#meters.map((_, index) => counters.figures(index));
    this.#beforeMs = nowMs;
    this.#workers = this.#before.map(({ connections }) => {
      return { cpu: undefined, requestsPerSecond: 0, connections, lagMs: 0 };
    });
  }

  /** By index, as of the last point. */
  get workers(): readonly WorkerSample[] {
    return this.#workers;
  }

  /** V8's heaps of all workers. */
  get heapBytes(): number {
    return this.#heapBytes;
  }

  /**
   * Adds a point for the second of `wallMs`, unless it has one; what was counted then goes to the next point.
   * A clock that was set back begins a new history.
   */
  sample(wallMs: number, nowMs: number): void {
    const at = Math.floor(wallMs / 1000);
    const elapsed = (nowMs - this.#beforeMs) / 1000;
    if (at === this.#lastAt || elapsed <= 0) return;
    if (at < this.#lastAt) {
      this.#history.clear();
      this.#minute = undefined;
    }
    this.#lastAt = at;
    const { counters, rssBytes } = this.#sources;
    const now = this.#meters.map((_, index) => counters.figures(index));
    const each = now.map((figures, index) => difference(figures, this.#before[index]));
    this.#before = now;
    this.#beforeMs = nowMs;
    this.#heapBytes = sum(now.map(({ heapBytes }) => heapBytes));
    this.#workers = now.map(({ threadId, connections, lagMaxSeconds }, index) => ({
      cpu: this.#meters[index].share(threadId, nowMs),
      requestsPerSecond: sum(CLASSES.map((name) => each[index][name])) / elapsed,
      connections,
      lagMs: lagMaxSeconds * 1000,
    }));
    const buckets = sumBuckets(each.map((one) => one.buckets));
    const rate = (name: keyof Classes): number => sum(each.map((one) => one[name])) / elapsed;
    const point: Point = {
      at,
      values: {
        requests: sum(CLASSES.map(rate)),
        ...percentiles(buckets),
        s2xx: rate('ok'),
        s3xx: rate('redirected'),
        s4xx: rate('refused'),
        s429: rate('limited'),
        s5xx: rate('failed'),
        rss_bytes: rssBytes(),
        in_flight: sum(now.map(({ inFlight }) => inFlight)),
        connections: sum(now.map(({ connections }) => connections)),
        pending_bytes: sum(now.map(({ pendingBytes }) => pendingBytes)),
        lag_ms: Math.max(0, ...this.#workers.map(({ lagMs }) => lagMs)),
      },
      cpu: this.#workers.map(({ cpu }) => cpu),
    };
    this.#history.addSecond(point);
    this.#addToMinute(point, buckets);
  }

  #addToMinute(point: Point, buckets: Float64Array): void {
    const start = point.at - (point.at % MINUTE_SECONDS);
    if (this.#minute !== undefined && this.#minute.start !== start) {
      this.#history.addMinute(this.#minute.point());
      this.#minute = undefined;
    }
    this.#minute ??= new MinuteSum(start);
    this.#minute.add(point, buckets);
  }
}

type SamplerHistory = Pick<History, 'addSecond' | 'addMinute' | 'clear'>;

/** The seconds of one minute that were sampled. Its percentiles come from all of its requests. */
class MinuteSum {
  readonly start: number;
  readonly #points: Point[] = [];
  readonly #buckets = new Float64Array(LATENCY_BOUNDS.length + 1);

  constructor(start: number) {
    this.start = start;
  }

  add(point: Point, buckets: Float64Array): void {
    this.#points.push(point);
    for (let i = 0; i < buckets.length; i++) this.#buckets[i] += buckets[i];
  }

  point(): Point {
    const valuesOf = (read: (point: Point) => number | undefined): number[] =>
      this.#points.flatMap((point) => read(point) ?? []);
    const merged = MEASURES.map((name): [Measure, number | undefined] => {
      const { minute } = COLUMNS[name];
      const values = valuesOf((point) => point.values[name]);
      return [name, minute === 'highest' ? Math.max(...values) : mean(values)];
    });
    const [{ cpu }] = this.#points;
    return {
      at: this.start,
      values: {
        ...(Object.fromEntries(merged) as Point['values']), // one entry for each column
        ...percentiles(this.#buckets),
      },
      cpu: cpu.map((_, worker) => mean(valuesOf((point) => point.cpu[worker]))),
    };
  }
}

function percentiles(buckets: Float64Array): Pick<Point['values'], 'p50_ms' | 'p99_ms'> {
  return {
    p50_ms: percentileMs(buckets, LATENCY_BOUNDS, 0.5),
    p99_ms: percentileMs(buckets, LATENCY_BOUNDS, 0.99),
  };
}

function difference(now: WorkerFigures, before: WorkerFigures): Classes & Pick<WorkerFigures, 'buckets'> {
  return {
    ok: now.ok - before.ok,
    redirected: now.redirected - before.redirected,
    refused: now.refused - before.refused,
    limited: now.limited - before.limited,
    failed: now.failed - before.failed,
    buckets: now.buckets.map((count, i) => count - before.buckets[i]),
  };
}

function sumBuckets(all: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(LATENCY_BOUNDS.length + 1);
  for (const each of all) for (let i = 0; i < total.length; i++) total[i] += each[i];
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : sum(values) / values.length;
}
