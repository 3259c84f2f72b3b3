// The rows of a run as a table.

import type { Conditions } from '../conditions.ts';
import type { Row } from './measure.ts';

export interface Report extends Conditions {
  /** Describes what each bench ran on. */
  readonly notes: Readonly<Record<string, readonly string[]>>;
  readonly rows: readonly Row[];
}

const NAME_CHARS = 46;

/** The column names, then one heading per question and one line per task. */
export function formatRows(rows: readonly Row[]): string[] {
  return [
    `  ${''.padEnd(NAME_CHARS)}    median       p99  spread  times as fast  answers`,
    ...[...new Set(rows.map((row) => row.asks))].flatMap((asks) => [
      `  ${asks}`,
      ...rows.filter((row) => row.asks === asks).map(formatRow),
    ]),
  ];
}

function formatRow({ name, isBaseline, medianNs, p99Ns, minNs, maxNs, timesAsFast, answers }: Row): string {
  const spread = `${((100 * (maxNs - minNs)) / medianNs).toFixed(0)} %`;
  const ratio = isBaseline ? 'baseline' : timesAsFast === null ? '' : `${significant(timesAsFast)} x`;
  const times = `${duration(medianNs).padStart(10)}${duration(p99Ns).padStart(10)}${spread.padStart(8)}`;
  return `    ${name.padEnd(NAME_CHARS - 2)}${times}${ratio.padStart(15)}  ${answers ?? ''}`.trimEnd();
}

/** Three significant digits: 83.1 ns, 1.27 us, 310 ms. */
function duration(ns: number): string {
  if (ns < 1e3) return `${significant(ns)} ns`;
  if (ns < 1e6) return `${significant(ns / 1e3)} us`;
  return `${significant(ns / 1e6)} ms`;
}

function significant(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
