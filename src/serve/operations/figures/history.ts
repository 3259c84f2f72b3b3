// The figures of the last hour: of seconds and of minutes. sampler.ts makes the points.

import { MEASURES, type Measure } from '../../../dialects/operations/document.ts';

/** A minute has the mean of its seconds, or the highest. */
export const COLUMNS: Readonly<
  Record<Measure, { readonly digits: number; readonly minute: 'mean' | 'own' | 'highest' }>
> = {
  requests: { digits: 2, minute: 'mean' },
  p50_ms: { digits: 4, minute: 'own' },
  p99_ms: { digits: 4, minute: 'own' },
  s2xx: { digits: 2, minute: 'mean' },
  s3xx: { digits: 2, minute: 'mean' },
  s4xx: { digits: 2, minute: 'mean' },
  s429: { digits: 2, minute: 'mean' },
  s5xx: { digits: 2, minute: 'mean' },
  rss_bytes: { digits: 0, minute: 'mean' },
  in_flight: { digits: 0, minute: 'highest' },
  connections: { digits: 0, minute: 'mean' },
  pending_bytes: { digits: 0, minute: 'highest' },
  lag_ms: { digits: 2, minute: 'highest' },
};

/** One point; undefined where nothing was measured. */
export interface Point {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly values: Readonly<Record<Measure, number | undefined>>;
  /** By worker. */
  readonly cpu: readonly (number | undefined)[];
}

const KEPT_SECONDS = 300;
const KEPT_MINUTES = 60;
const CPU_DIGITS = 3;

/** Its time, one number for each of MEASURES, and each worker's CPU; null where nothing was measured. */
type Row = readonly (number | null)[];

export class History {
  readonly #workerCount: number;
  #seconds: Row[] = [];
  #minutes: Row[] = [];

  constructor(workerCount: number) {
    this.#workerCount = workerCount;
  }

  /** Requires: times that rise. */
  addSecond(point: Point): void {
    this.#add(point, this.#seconds, KEPT_SECONDS);
  }

  addMinute(point: Point): void {
    this.#add(point, this.#minutes, KEPT_MINUTES);
  }

  /** Forgets every point. */
  clear(): void {
    this.#seconds = [];
    this.#minutes = [];
  }

  /** The document as JSON, without points before `since`; undefined before the first point. */
  render(since: number): string | undefined {
    const last = this.#seconds.at(-1);
    if (last === undefined) return undefined;
    const later = ([at]: Row): boolean => Number(at) >= since;
    return JSON.stringify({
      now: last[0],
      seconds: this.#series(this.#seconds.filter(later)),
      minutes: this.#series(this.#minutes.filter(later)),
    });
  }

  #add({ at, values, cpu }: Point, rows: Row[], kept: number): void {
    const figures = MEASURES.map((name) => rounded(values[name], COLUMNS[name].digits));
    const shares = Array.from({ length: this.#workerCount }, (_, worker) => rounded(cpu[worker], CPU_DIGITS));
    rows.push([at, ...figures, ...shares]);
    if (rows.length > kept) rows.shift();
  }

  #series(rows: readonly Row[]): object {
    const column = (place: number): Row => rows.map((row) => row[place]);
    return {
      at: column(0),
      ...Object.fromEntries(MEASURES.map((name, i) => [name, column(1 + i)])),
      cpu: Array.from({ length: this.#workerCount }, (_, worker) => column(1 + MEASURES.length + worker)),
    };
  }
}

function rounded(value: number | undefined, digits: number): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toFixed(digits));
}
