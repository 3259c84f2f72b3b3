// The history of figures, .ci/nightly.tsv: what its rows say, and which bound they give to the next value.

import { existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../src/files/replace-file.ts';

const COLUMNS = [
  ...['at', 'commit', 'node', 'load', 'part', 'figure', 'value', 'unit', 'bound', 'verdict'],
] as const;
const DAY_MS = 86_400_000;
/** Rows that a bound is made of; with fewer, the ceiling is the bound. */
export const GREEN_ROWS = 10;
const DEVIATIONS = 4;
/** Of the median: figures that never differed must not fail by the first that does. */
const LEAST_DEVIATION = 0.05;

/** `noted` is a figure that nothing depends on. */
export type Verdict = 'green' | 'red' | 'noted';

export interface Row {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Ends in `+` if the checkout had uncommitted changes. */
  readonly commit: string;
  /** The major release. */
  readonly node: string;
  /** Of the machine when the part began: processes that could run, averaged over a minute. */
  readonly load: number;
  readonly part: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly bound: number | undefined;
  readonly verdict: Verdict;
}

/** In the order of the file; none if there is no file. Throws for a line that is not a row. */
export function readRows(path: string): Row[] {
  if (!existsSync(path)) return [];
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line, i) => {
    const cells = line.split('\t');
    if (cells.length !== COLUMNS.length)
      throw new Error(`${path}:${i + 2} has ${cells.length} cells; expected ${COLUMNS.length}`);
    const [at, commit, node, load, part, figure, value, unit, bound, verdict] = cells;
    return {
      ...{ at, commit, node, part, figure, unit },
      ...{ load: Number(load), value: Number(value), bound: bound === '-' ? undefined : Number(bound) },
      verdict: verdict as Verdict, // written below
    };
  });
}

/** Adds rows at the end; the file is replaced as a whole. */
export function appendRows(path: string, rows: readonly Row[]): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : `${COLUMNS.join('\t')}\n`;
  const lines = rows.map((row) => `${COLUMNS.map((column) => cell(row[column])).join('\t')}\n`);
  replaceFile(path, before + lines.join(''));
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return '-';
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : value.replaceAll(/\s+/g, ' ');
}

/**
 * The highest good value of a figure: the median of its last ten green rows and four times their median
 * deviation from it, at most the ceiling.
 */
export function boundOf(
  rows: readonly Row[],
  { node, part, figure }: Pick<Row, 'node' | 'part' | 'figure'>,
  ceiling: number,
): number {
  const values = rows
    .filter((row) => row.figure === figure && row.part === part && row.node === node)
    .filter(({ verdict }) => verdict === 'green')
    .slice(-GREEN_ROWS)
    .map(({ value }) => value);
  if (values.length < GREEN_ROWS) return ceiling;
  const middle = median(values);
  const deviation = median(values.map((value) => Math.abs(value - middle)));
  return Math.min(ceiling, middle + DEVIATIONS * Math.max(deviation, LEAST_DEVIATION * Math.abs(middle)));
}

/** Requires: at least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The last green row of whole runs; undefined before the first. */
export function lastGreen(rows: readonly Row[]): Row | undefined {
  return rows.findLast(({ part, verdict }) => part === WHOLE && verdict === 'green');
}

/** The part of the row that stands for a run of every part. */
export const WHOLE = 'all';

/** For people. */
export function ageText(rows: readonly Row[], nowMs: number): string {
  const row = lastGreen(rows);
  if (row === undefined) return 'no .ci/nightly was green yet';
  const days = Math.floor((nowMs - Date.parse(row.at)) / DAY_MS);
  return `the last green .ci/nightly was ${days} day(s) ago, of commit ${row.commit}`;
}
