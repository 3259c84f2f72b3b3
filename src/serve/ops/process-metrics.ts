// The metrics of any Node process, process_* and nodejs_*, with the names and meanings that dashboards expect
// from prom-client, which is not used: each start would pay 55 ms of CPU for it. Memory, CPU and descriptors
// are those of the whole process; heap, event loop and collections those of this thread.

import { readdirSync, readFileSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { histogramSamples, type Metric, type Sample, sample } from './exposition.ts';

const LAG_RESOLUTION_MS = 10;
/** Seconds. */
const GC_BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};
const START_SECONDS = Math.round(Date.now() / 1000 - process.uptime());

/** An entry of the type `gc`. Node's types leave its detail out. */
type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** What Node has without a promise to keep it, and its types leave out. */
const inside = process as unknown as { _getActiveHandles(): object[]; _getActiveRequests(): object[] };

/** The collections of one kind. */
interface Collections {
  /** For each of GC_BOUNDS: those that took at most that long. */
  readonly cumulative: number[];
  count: number;
  sum: number;
}

export class ProcessMetrics {
  readonly #cpuBefore = process.cpuUsage();
  readonly #delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  readonly #collections = new Map<string, Collections>();
  readonly #maxDescriptors = maxDescriptors();
  /** Of the last reading, as it is known only after it. */
  #lagSeconds = 0;

  constructor() {
    this.#delay.enable();
    new PerformanceObserver((list) => {
      for (const { detail, duration } of list.getEntries() as GcEntry[])
        this.#addCollection(GC_KINDS[detail.kind], duration / 1000);
    }).observe({ entryTypes: ['gc'] });
  }

  /** The delays of the event loop are those since the last reading. */
  read(): readonly Metric[] {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const { heapTotal, heapUsed, external } = process.memoryUsage();
    return [
      counter('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', user / 1e6),
      counter('process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', system / 1e6),
      counter(
        'process_cpu_seconds_total',
        'Total user and system CPU time spent in seconds.',
        (user + system) / 1e6,
      ),
      gauge(
        'process_start_time_seconds',
        'Start time of the process since unix epoch in seconds.',
        START_SECONDS,
      ),
      ...memoryMetrics(),
      ...descriptorMetrics(this.#maxDescriptors),
      ...this.#lagMetrics(),
      byType(
        'nodejs_active_resources',
        'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
        process.getActiveResourcesInfo(),
      ),
      byType(
        'nodejs_active_handles',
        'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
        inside._getActiveHandles().map(className),
      ),
      byType(
        'nodejs_active_requests',
        'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
        inside._getActiveRequests().map(className),
      ),
      gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal),
      gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed),
      gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external),
      ...heapSpaceMetrics(),
      gauge('nodejs_version_info', 'Node.js version info.', sample(1, versionLabels())),
      {
        type: 'histogram',
        name: 'nodejs_gc_duration_seconds',
        help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
        samples: [...this.#collections].flatMap(([kind, collections]) =>
          histogramSamples(GC_BOUNDS, collections, { kind }, (le) => ({ le, kind })),
        ),
      },
    ];
  }

  #lagMetrics(): readonly Metric[] {
    const startMs = performance.now();
    setImmediate(() => {
      this.#lagSeconds = (performance.now() - startMs) / 1000;
    });
    const delay = this.#delay;
    const lag = (stat: string, help: string, nanoseconds: number): Metric =>
      gauge(`nodejs_eventloop_lag_${stat}_seconds`, help, nanoseconds / 1e9);
    const percentile = (p: number): Metric =>
      lag(`p${p}`, `The ${p}th percentile of the recorded event loop delays.`, delay.percentile(p));
    const metrics = [
      gauge('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', this.#lagSeconds),
      lag('min', 'The minimum recorded event loop delay.', delay.min),
      lag('max', 'The maximum recorded event loop delay.', delay.max),
      lag('mean', 'The mean of the recorded event loop delays.', delay.mean),
      lag('stddev', 'The standard deviation of the recorded event loop delays.', delay.stddev),
      ...[50, 90, 99].map(percentile),
    ];
    delay.reset();
    return metrics;
  }

  #addCollection(kind: string, seconds: number): void {
    let own = this.#collections.get(kind);
    if (own === undefined) {
      own = { cumulative: GC_BOUNDS.map(() => 0), count: 0, sum: 0 };
      this.#collections.set(kind, own);
    }
    for (const [i, bound] of GC_BOUNDS.entries()) if (seconds <= bound) own.cumulative[i] += 1;
    own.count += 1;
    own.sum += seconds;
  }
}

function counter(name: string, help: string, value: number): Metric {
  return { type: 'counter', name, help, samples: [sample(value)] };
}

function gauge(name: string, help: string, ...values: readonly (number | Sample)[]): Metric {
  const samples = values.map((value) => (typeof value === 'number' ? sample(value) : value));
  return { type: 'gauge', name, help, samples };
}

/** One sample for each type, with how often it occurs. */
function byType(name: string, help: string, types: readonly string[]): Metric {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return gauge(name, help, ...[...counts].map(([type, count]) => sample(count, { type })));
}

function className(value: object): string {
  return value.constructor.name;
}

function memoryMetrics(): readonly Metric[] {
  const resident = (bytes: number): Metric =>
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', bytes);
  const status = process.platform === 'linux' ? readProc('status') : undefined;
  if (status === undefined) return [resident(process.memoryUsage.rss())];
  const bytesOf = (field: string): number =>
    Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return [
    resident(bytesOf('VmRSS')),
    gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.', bytesOf('VmSize')),
    gauge('process_heap_bytes', 'Process heap size in bytes.', bytesOf('VmData')),
  ];
}

/** Where the system shows them. */
function descriptorMetrics(max: number | undefined): readonly Metric[] {
  const gauges: readonly (readonly [name: string, help: string, count: number | undefined])[] = [
    ['process_open_fds', 'Number of open file descriptors.', openDescriptors()],
    ['process_max_fds', 'Maximum number of open file descriptors.', max],
  ];
  return gauges.flatMap(([name, help, count]) => (count === undefined ? [] : gauge(name, help, count)));
}

function openDescriptors(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc/self/fd').length - 1; // without the one that reads the folder
  } catch {
    return undefined; // as when none is left to read it with
  }
}

function maxDescriptors(): number | undefined {
  const limit = /^Max open files {2,}(\S+)/m.exec(readProc('limits') ?? '')?.[1];
  return limit === undefined ? undefined : Number(limit);
}

/** A file of this process in /proc, which is memory of the kernel; undefined where there is none. */
function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function heapSpaceMetrics(): readonly Metric[] {
  const spaces = getHeapSpaceStatistics().map((space) => ({
    ...space,
    labels: { space: space.space_name.replace(/_space$/, '') },
  }));
  const metric = (what: string, field: 'space_size' | 'space_used_size' | 'space_available_size'): Metric =>
    gauge(
      `nodejs_heap_space_size_${what}_bytes`,
      `Process heap space size ${what} from Node.js in bytes.`,
      ...spaces.map(({ [field]: bytes, labels }) => sample(bytes, labels)),
    );
  return [
    metric('total', 'space_size'),
    metric('used', 'space_used_size'),
    metric('available', 'space_available_size'),
  ];
}

function versionLabels(): Sample['labels'] {
  const [major, minor, patch] = process.versions.node.split('.');
  return { version: process.version, major, minor, patch };
}
