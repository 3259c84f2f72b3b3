// What was measured, as a table for people, and what may be said of it.

import type { Figure } from '../../test/support/figure.ts';
import type { Spent } from '../budgets.ts';
import { type Comparison, compare, LEGEND, type Pair, ratioText } from '../comparison.ts';
import { figureOf, markdownTable, percent } from '../figures.ts';
import type { Scenario } from '../scenarios.ts';
import type { Measured, Round } from './measure.ts';
import { TARGET_LABELS, type TargetName } from './targets.ts';

/** From this share of its core on, a server was busy all the time; from this share on, wrk was. */
const FULL_SHARE = 0.9;
/** Of what the other build took: two processes of one build differ by less. */
const MOST_OF_OTHER = 1.15;
const HEADINGS = [
  ...['scenario', 'server', 'user µs', 'system µs', 'vulndex/this, user', 'vulndex/this, CPU'],
  ...['requests/s', 'core', 'wrk'],
];

/** How CPU time is compared: what our code takes, and all of it. */
const TIMES = {
  'user time': ({ user }: Round) => user,
  'CPU time': ({ user, system }: Round) => user + system,
} as const;
type Time = keyof typeof TIMES;
const TIME_NAMES = Object.keys(TIMES) as Time[]; // as written above

/** Ours against another server's. Undefined if it was left out. */
function comparisonOf({ rounds }: Measured, name: TargetName, time: Time): Comparison | undefined {
  const [ours, theirs] = [rounds.get('vulndex'), rounds.get(name)];
  if (ours === undefined || theirs === undefined) return undefined;
  const of = TIMES[time];
  return compare(ours.map((round, i): Pair[] => [[of(round), of(theirs[i])]]));
}

/**
 * A Markdown table. Each CPU figure is the median of all rounds, with their spread; each ratio the median of
 * the starts, with the lowest and the highest. Throughput is left out if a server's core was not full, or
 * wrk's was.
 */
function resultTable(results: readonly Measured[]): string {
  const rows = results.flatMap((measured) =>
    [...measured.rounds].map(([name, rounds], i) => {
      const median = (of: (round: Round) => number): number => figureOf(rounds.map(of)).median;
      const isFull = rounds.every(({ core, client }) => core >= FULL_SHARE && client < FULL_SHARE);
      return [
        i === 0 ? `${measured.title} (${measured.bodyBytes.toLocaleString('en-US')} B)` : '',
        TARGET_LABELS[name],
        withSpread(rounds.map(({ user }) => user)),
        withSpread(rounds.map(({ system }) => system)),
        ...TIME_NAMES.map((time) => ratioOf(measured, name, time)),
        isFull ? Math.round(median(({ perSecond }) => perSecond)).toLocaleString('en-US') : '',
        percent(median(({ core }) => core)),
        percent(median(({ client }) => client)),
      ];
    }),
  );
  return markdownTable(HEADINGS, rows, 2);
}

function ratioOf(measured: Measured, name: TargetName, time: Time): string {
  const comparison = name === 'vulndex' ? undefined : comparisonOf(measured, name, time);
  return comparison === undefined ? '' : ratioText(comparison);
}

function withSpread(values: readonly number[]): string {
  const { median, spread } = figureOf(values);
  return `${median.toFixed(2)} (${percent(spread)})`;
}

/**
 * The table, what was left out, hashes of the answers, and what stands out between this build and the other
 * one.
 */
export function report(results: readonly Measured[]): string {
  const hashes = results.map(({ title, answersHash }) => `${title} ${answersHash}`);
  const lines = [resultTable(results), '', LEGEND, ...results.flatMap(({ notes }) => [...notes])];
  lines.push(`Answers: ${hashes.join('; ')}.`);
  if (!results.some(({ rounds }) => rounds.has('against'))) return lines.join('\n');
  const found = results.flatMap((measured) =>
    TIME_NAMES.flatMap((time) => {
      const { ratio = 1, standsOut = false } = comparisonOf(measured, 'against', time) ?? {};
      const change = `${ratio > 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;
      return standsOut ? [`Against the other build, ${measured.title}, ${time}: ${change}.`] : [];
    }),
  );
  const nothing = ['Against the other build, no difference stands out of the spread.'];
  return [...lines, ...(found.length > 0 ? found : nothing)].join('\n');
}

/** What this build took against the other one, where that was measured. */
export function againstOther(scenarios: readonly Scenario[], results: readonly Measured[]): Figure[] {
  return scenarios.flatMap(({ name }, i) =>
    TIME_NAMES.flatMap((time) => {
      const comparison = comparisonOf(results[i], 'against', time);
      return comparison === undefined ? [] : [againstFigure(name, time, comparison)];
    }),
  );
}

/** For the history of figures. */
export function againstFigure(scenario: string, time: string, { ratio }: Comparison): Figure {
  const name = `${scenario}, ${time} against the other build`;
  return { source: scenario, name, value: ratio, unit: 'x', ceiling: MOST_OF_OTHER };
}

/** What each of the scenarios took against bare uWebSockets.js, where that was measured. */
export function spentOf(scenarios: readonly Scenario[], results: readonly Measured[]): Spent[] {
  return results.flatMap((measured, i) => {
    const comparison = comparisonOf(measured, 'uws', 'user time');
    return comparison === undefined ? [] : [{ name: scenarios[i].name, title: measured.title, comparison }];
  });
}
