// The figures of the last hour, in shared memory: a ring of seconds and a ring of minutes. The supervisor
// adds points, any thread reads. Owns the layout and the names of the columns; sampler.ts makes the points.
//
//   | Int32: version | Int32: seconds added | Int32: minutes added | Int32: unused | ring of seconds | ring of minutes |
//
// A point is a row of doubles: its time, one for each of COLUMNS, one for each worker's CPU; NaN where
// nothing was measured. The version is odd while a point is being written; a reader copies all until it finds
// it even and unchanged. Writing takes a microsecond once a second.

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
const HEADER_INTS = 4;
const HEADER_BYTES = HEADER_INTS * Int32Array.BYTES_PER_ELEMENT;
const VERSION = 0;
const SECONDS_ADDED = 1;
const MINUTES_ADDED = 2;
const CPU_AT = 1 + COLUMNS.length;
const CPU_DIGITS = 3;
const MOST_TRIES = 1_000;

export function allocateHistory(workerCount: number): SharedArrayBuffer {
  const rowBytes = (CPU_AT + workerCount) * Float64Array.BYTES_PER_ELEMENT;
  return new SharedArrayBuffer(HEADER_BYTES + (KEPT_SECONDS + KEPT_MINUTES) * rowBytes);
}

export class History {
  readonly #header: Int32Array;
  readonly #cells: Float64Array;
  readonly #rowCells: number;

  constructor(memory: SharedArrayBuffer) {
    this.#header = new Int32Array(memory, 0, HEADER_INTS);
    this.#cells = new Float64Array(memory, HEADER_BYTES);
    this.#rowCells = this.#cells.length / (KEPT_SECONDS + KEPT_MINUTES);
  }

  /** Requires: one writer, and times that rise. */
  addSecond(point: Point): void {
    this.#add(point, SECONDS_ADDED, 0, KEPT_SECONDS);
  }

  addMinute(point: Point): void {
    this.#add(point, MINUTES_ADDED, KEPT_SECONDS, KEPT_MINUTES);
  }

  /** Forgets every point. */
  clear(): void {
    Atomics.add(this.#header, VERSION, 1);
    Atomics.store(this.#header, SECONDS_ADDED, 0);
    Atomics.store(this.#header, MINUTES_ADDED, 0);
    Atomics.add(this.#header, VERSION, 1);
  }

  /** The document as JSON, without points before `since`; undefined before the first point. */
  render(since: number): string | undefined {
    const copy = this.#copy();
    if (copy === undefined || copy.secondsAdded === 0) return undefined;
    const { cells, secondsAdded, minutesAdded } = copy;
    const seconds = this.#rowsOf(cells, secondsAdded, 0, KEPT_SECONDS);
    const minutes = this.#rowsOf(cells, minutesAdded, KEPT_SECONDS, KEPT_MINUTES);
    const now = seconds[seconds.length - 1][0];
    const later = (row: Float64Array): boolean => row[0] >= since;
    return JSON.stringify({
      now,
      seconds: this.#series(seconds.filter(later)),
      minutes: this.#series(minutes.filter(later)),
    });
  }

  #add({ at, values, cpu }: Point, counter: number, first: number, kept: number): void {
    const added = Atomics.load(this.#header, counter);
    const start = (first + (added % kept)) * this.#rowCells;
    Atomics.add(this.#header, VERSION, 1);
    this.#cells[start] = at;
    for (const [i, { name, digits }] of COLUMNS.entries())
      this.#cells[start + 1 + i] = rounded(values[name], digits);
    for (let i = CPU_AT; i < this.#rowCells; i++)
      this.#cells[start + i] = rounded(cpu[i - CPU_AT], CPU_DIGITS);
    // Never wraps: 2^31 seconds are 68 years.
    Atomics.store(this.#header, counter, added + 1);
    Atomics.add(this.#header, VERSION, 1);
  }

  #copy():
    | { readonly cells: Float64Array; readonly secondsAdded: number; readonly minutesAdded: number }
    | undefined {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const version = Atomics.load(this.#header, VERSION);
      if (version % 2 !== 0) continue;
      const cells = new Float64Array(this.#cells);
      const secondsAdded = Atomics.load(this.#header, SECONDS_ADDED);
      const minutesAdded = Atomics.load(this.#header, MINUTES_ADDED);
      // Not a load: the copy must not be reordered after it.
      if (Atomics.add(this.#header, VERSION, 0) === version) return { cells, secondsAdded, minutesAdded };
    }
    return undefined;
  }

  /** The oldest first. */
  #rowsOf(cells: Float64Array, added: number, first: number, kept: number): Float64Array[] {
    const oldest = Math.max(0, added - kept);
    return Array.from({ length: added - oldest }, (_, i) => {
      const start = (first + ((oldest + i) % kept)) * this.#rowCells;
      return cells.subarray(start, start + this.#rowCells);
    });
  }

  /** JSON.stringify writes NaN as null. */
  #series(rows: readonly Float64Array[]): object {
    const column = (place: number): number[] => rows.map((row) => row[place]);
    return {
      at: column(0),
      ...Object.fromEntries(COLUMNS.map(({ name }, i) => [name, column(1 + i)])),
      cpu: Array.from({ length: this.#rowCells - CPU_AT }, (_, i) => column(CPU_AT + i)),
    };
  }
}

function rounded(value: number | undefined, digits: number): number {
  return value === undefined ? Number.NaN : Number(value.toFixed(digits));
}
