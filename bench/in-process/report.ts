// The rows of a run as a table.

import type { Conditions } from '../conditions.ts';
import { markdownTable, percent } from '../figures.ts';
import type { Row } from './measure.ts';

export interface Report extends Conditions {
  /** Describes what each bench ran on. */
  readonly notes: Readonly<Record<string, readonly string[]>>;
  readonly rows: readonly Row[];
}

const HEADINGS = ['', '', 'median', 'p99', 'spread', 'times as fast', 'answers'];

/** A line per task; the first one about a question names it. */
export function formatRows(rows: readonly Row[]): string {
  const cells = rows.map(({ asks, name, isBaseline, medianNs, p99Ns, spread, timesAsFast, answers }, i) => [
    rows[i - 1]?.asks === asks ? '' : asks,
    name,
    duration(medianNs),
    duration(p99Ns),
    percent(spread),
    isBaseline ? 'baseline' : timesAsFast === null ? '' : `${significant(timesAsFast)} x`,
    answers ?? '',
  ]);
  return markdownTable(HEADINGS, cells, 2);
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
