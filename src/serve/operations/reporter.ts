// What the process is doing, in the supervisor: adds a point of figures to the history once a second, and
// makes the documents that show them when they are asked for.

import { performance } from 'node:perf_hooks';
import type { KeyTable } from '../../access/key-table.ts';
import type { HotProduct } from '../../dialects/operations/document.ts';
import { type DocumentParts, renderOperations } from './document.ts';
import { History } from './figures/history.ts';
import { Sampler, type SamplerSources } from './figures/sampler.ts';
import { CpuMeter, ownThreadId } from './figures/thread-cpu.ts';
import { HotProducts, type NamedGeneration, WANTED_PER_SECOND } from './requests/hottest.ts';
import { KeyQuotas } from './requests/key-quotas.ts';
import { LookupRings } from './requests/lookup-ring.ts';

const SECOND_MS = 1_000;
/** Of the document of GET /operations. */
const MOST_BYTES = 512 << 10;
/** The hottest products are found every so many seconds: it takes a few milliseconds. */
const RANK_TICKS = 5;

/** The parts that are made here. */
type Computed = 'nowMs' | 'workers' | 'supervisorCpu' | 'memory' | 'keys' | 'hottest';

/** What others know; read once a second. */
interface ReporterSources extends Pick<SamplerSources, 'counters'> {
  /** The active keys. */
  readonly keys: () => KeyTable;
  /** The memory in which all threads count for them. */
  readonly limiter: SharedArrayBuffer;
  /** Those that requests may name, as far as products can be named. */
  readonly generations: () => readonly NamedGeneration[];
  readonly parts: () => Omit<DocumentParts, Computed> & {
    readonly sharedBytes: number;
  };
  /** A second could not be reported. */
  readonly onError: (error: unknown) => void;
}

export class Reporter {
  readonly #sources: ReporterSources;
  readonly #sampler: Sampler;
  readonly #cpu = new CpuMeter();
  readonly #threadId = ownThreadId();
  readonly #keys: KeyQuotas;
  readonly #lookups: LookupRings;
  readonly #hot: HotProducts;
  #hottest: readonly HotProduct[] = [];
  #ticks = 0;
  #supervisorCpu: number | undefined;
  readonly #history: History;
  /** As of this second, while nothing has changed. */
  #document: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `lookups` is the memory of lookup-ring.ts. */
  constructor(lookups: SharedArrayBuffer, sources: ReporterSources) {
    this.#sources = sources;
    const { counters } = sources;
    const rssBytes = (): number => process.memoryUsage.rss();
    this.#history = new History(counters.workerCount);
    this.#sampler = new Sampler({ counters, rssBytes }, this.#history, performance.now());
    this.#keys = new KeyQuotas(sources.limiter);
    this.#lookups = new LookupRings(lookups, WANTED_PER_SECOND);
    this.#hot = new HotProducts(performance.now() / 1000);
  }

  /** Begins at once. */
  start(): void {
    this.#tick();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Something that the document shows is not so any more. */
  changed(): void {
    this.#document = undefined;
  }

  /** The document of GET /operations, as UTF-8, with the figures of the last second. */
  now(): Uint8Array | undefined {
    try {
      this.#document ??= this.#render();
    } catch (error) {
      this.#sources.onError(error);
    }
    return this.#document;
  }

  /** The document of GET /operations/history. */
  history(sinceSeconds: number): string | undefined {
    return this.#history.render(sinceSeconds);
  }

  #render(): Uint8Array {
    const nowMs = Date.now();
    const { sharedBytes, ...parts } = this.#sources.parts();
    const { rss: rssBytes, heapUsed } = process.memoryUsage();
    const document = renderOperations(
      {
        ...parts,
        nowMs,
        workers: this.#sampler.workers,
        supervisorCpu: this.#supervisorCpu,
        keys: { total: this.#keys.total, shown: this.#keys.shown(nowMs) },
        hottest: this.#hottest,
        memory: { rssBytes, heapBytes: heapUsed + this.#sampler.heapBytes, sharedBytes },
      },
      MOST_BYTES,
    );
    if (document === undefined)
      throw new Error(`the document of /operations does not fit into ${MOST_BYTES} bytes`);
    return document;
  }

  #tick(): void {
    // At the beginning of each second of the clock, so that replicas have points at the same times.
    this.#timer = setTimeout(() => this.#tick(), SECOND_MS - (Date.now() % SECOND_MS) + 1);
    this.#timer.unref();
    try {
      const monotonicMs = performance.now();
      this.#supervisorCpu = this.#cpu.share(this.#threadId, monotonicMs);
      this.#sampler.sample(Date.now(), monotonicMs);
      this.#keys.step(this.#sources.keys(), Date.now());
      this.#countLookups(monotonicMs / 1000);
    } catch (error) {
      this.#sources.onError(error);
    }
    this.#document = undefined;
  }

  #countLookups(nowSeconds: number): void {
    this.#hot.add(this.#lookups.take(), nowSeconds);
    if (this.#ticks++ % RANK_TICKS === 0)
      this.#hottest = this.#hot.top(this.#sources.generations(), nowSeconds);
  }
}
