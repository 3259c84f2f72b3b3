// The figures of the last hour: of seconds and of minutes. Owns the names of the columns; sampler.ts makes
// the points.

/** In the order of the columns. A minute has the mean of its seconds, or the highest. */
export const COLUMNS = [
  { name: 'requests', digits: 2, minute: 'mean' },
  { name: 'p50_ms', digits: 4, minute: 'own' },
  { name: 'p99_ms', digits: 4, minute: 'own' },
  { name: 's2xx', digits: 2, minute: 'mean' },
  { name: 's3xx', digits: 2, minute: 'mean' },
  { name: 's4xx', digits: 2, minute: 'mean' },
  { name: 's429', digits: 2, minute: 'mean' },
  { name: 's5xx', digits: 2, minute: 'mean' },
  { name: 'rss_bytes', digits: 0, minute: 'mean' },
  { name: 'in_flight', digits: 0, minute: 'highest' },
  { name: 'connections', digits: 0, minute: 'mean' },
  { name: 'pending_bytes', digits: 0, minute: 'highest' },
  { name: 'lag_ms', digits: 2, minute: 'highest' },
] as const;
export type ColumnName = (typeof COLUMNS)[number]['name'];

/** One point; undefined where nothing was measured. */
export interface Point {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly values: Readonly<Record<ColumnName, number | undefined>>;
  /** By worker. */
  readonly cpu: readonly (number | undefined)[];
}

const KEPT_SECONDS = 300;
const KEPT_MINUTES = 60;
const CPU_DIGITS = 3;

/** Its time, one number for each of COLUMNS, and each worker's CPU; null where nothing was measured. */
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
    const figures = COLUMNS.map(({ name, digits }) => rounded(values[name], digits));
    const shares = Array.from({ length: this.#workerCount }, (_, worker) => rounded(cpu[worker], CPU_DIGITS));
    rows.push([at, ...figures, ...shares]);
    if (rows.length > kept) rows.shift();
  }

  #series(rows: readonly Row[]): object {
    const column = (place: number): Row => rows.map((row) => row[place]);
    return {
      at: column(0),
      ...Object.fromEntries(COLUMNS.map(({ name }, i) => [name, column(1 + i)])),
      cpu: Array.from({ length: this.#workerCount }, (_, worker) => column(1 + COLUMNS.length + worker)),
    };
  }
}

function rounded(value: number | undefined, digits: number): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toFixed(digits));
}
