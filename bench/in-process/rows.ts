// What several starts measured, as a table.

import { compare, LEGEND, type Pair, ratioText } from '../comparison.ts';
import { figureOf, markdownTable, percent, significant } from '../figures.ts';
import type { Round, Timed } from './measure.ts';
import type { BenchStart } from './suite.ts';

const HEADINGS = ['', '', 'median', 'spread', 'user', 'system', 'x the first', 'answers'];

/** A heading, notes and a table for each bench. Requires: every start measured the same. */
export function report(starts: readonly (readonly BenchStart[])[]): string {
  const parts = starts[0].map(({ bench, notes }, i) => {
    const table = tableOf(starts.map((start) => start[i].tasks));
    return [`\n## ${bench}\n`, ...notes.map((note) => `- ${note}`), '', table].join('\n');
  });
  return [...parts, '', LEGEND].join('\n');
}

/**
 * A line per task; the first one about a question names it, and the others are compared with it. Medians are
 * those of all rounds, their spread the one between starts.
 */
export function tableOf(starts: readonly (readonly Timed[])[]): string {
  const rows = starts[0].map(({ asks, name, answers }, i) => {
    const ours = starts[0].findIndex((each) => each.asks === asks);
    const median = (of: (round: Round) => number): number =>
      figureOf(starts.flatMap((start) => start[i].rounds.map(of))).median;
    const ofStarts = starts.map((start) => figureOf(start[i].rounds.map(({ wall }) => wall)).median);
    return [
      ours === i ? asks : '',
      name,
      duration(median(({ wall }) => wall)),
      percent(figureOf(ofStarts).spread),
      duration(median(({ user }) => user)),
      duration(median(({ system }) => system)),
      ours === i ? '' : timesOurs(starts.map((start) => [start[i].rounds, start[ours].rounds])),
      answers ?? '',
    ];
  });
  return markdownTable(HEADINGS, rows, 2);
}

function timesOurs(starts: readonly (readonly [theirs: readonly Round[], ours: readonly Round[]])[]): string {
  const pairs = starts.map(([theirs, ours]) => theirs.map((each, i): Pair => [each.wall, ours[i].wall]));
  return ratioText(compare(pairs));
}

/** Three significant digits: 83.1 ns, 1.27 us, 310 ms. */
function duration(ns: number): string {
  if (ns < 1e3) return `${significant(ns)} ns`;
  if (ns < 1e6) return `${significant(ns / 1e3)} us`;
  return `${significant(ns / 1e6)} ms`;
}
