// The results of a run, as stored in its JSON file and as a table for people.

import { type Conditions, describe } from '../conditions.ts';
import { markdownTable, percent } from '../figures.ts';
import type { ScenarioName } from '../scenarios.ts';
import type { Result } from './measure.ts';
import { TARGET_LABELS, type TargetName } from './targets.ts';
import { CONNECTIONS } from './wrk.ts';

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  /** Of the reply nearest to the mean length. */
  readonly bodyBytes: number;
  /** First 16 hex digits of the SHA-256 over the bodies of all our replies. */
  readonly answersHash: string;
  readonly results: readonly Result[];
}

export interface RunResults extends Conditions {
  readonly workers: number;
  readonly pipeline: number;
  /** Share of each server's own capacity. */
  readonly load: number;
  readonly seconds: number;
  readonly rounds: number;
  /** What was left out, and why. */
  readonly notes: readonly string[];
  readonly scenarios: readonly ScenarioResult[];
}

const HEADINGS = [
  'scenario',
  'server',
  'CPU µs/request',
  'spread',
  'vulndex/this',
  'requests/s',
  'vulndex/this',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
  'core',
];
/** What the README shows: a scenario of each kind, beside the servers that do more than send a constant. */
const SUMMARY = {
  scenarios: ['exists-hit', 'product-3', 'all-100', 'batch-full'],
  targets: ['vulndex', 'uws', 'nginx-file', 'fastify'],
} as const satisfies { readonly scenarios: readonly ScenarioName[]; readonly targets: readonly TargetName[] };

/** CPU microseconds per request, a line per scenario and a column per server. */
export function summaryTable(scenarios: readonly ScenarioResult[]): string {
  const shown = SUMMARY.scenarios.flatMap((name) => scenarios.find((each) => each.name === name) ?? []);
  const rows = shown.map(({ title, results }) => [
    title,
    ...SUMMARY.targets.map((target) => {
      const result = results.find((each) => each.target === target);
      return result === undefined ? '' : result.cpuMicroseconds.median.toFixed(1);
    }),
  ]);
  return markdownTable(['', ...SUMMARY.targets.map((target) => TARGET_LABELS[target])], rows, 1);
}

/**
 * A Markdown table. For a server whose cores were not full, throughput and latency are marked as left out, except
 * for latencies of a run that limited the load on purpose. Pipelined runs have no latencies: wrk times such requests
 * by the batch, and some not at all.
 */
export function resultTable(run: Pick<RunResults, 'scenarios' | 'load' | 'pipeline'>): string {
  const { scenarios, load, pipeline } = run;
  const rows = scenarios.flatMap((scenario) => {
    const own = scenario.results.find(({ target }) => target === 'vulndex');
    return scenario.results.map((result, i) => [
      i === 0 ? `${scenario.title} (${scenario.bodyBytes.toLocaleString('en-US')} B)` : '',
      TARGET_LABELS[result.target],
      result.cpuMicroseconds.median.toFixed(2),
      percent(result.cpuMicroseconds.spread),
      own === undefined || result === own
        ? ''
        : ratio(own.cpuMicroseconds.median / result.cpuMicroseconds.median),
      ...throughput(result, own, load, pipeline),
      percent(result.cpuShare),
    ]);
  });
  return markdownTable(HEADINGS, rows, 2);
}

function throughput(result: Result, own: Result | undefined, load: number, pipeline: number): string[] {
  const latencies = [result.p50Ms, result.p99Ms, result.p999Ms].map(({ median }) =>
    pipeline > 1 ? '' : median.toFixed(2),
  );
  if (load < 1) return [`held at ${percent(load)}`, '', ...latencies];
  if (!result.isFull) return ['core not full', '', '', '', ''];
  const isComparable = own !== undefined && own !== result && own.isFull;
  return [
    Math.round(result.requestsPerSecond.median).toLocaleString('en-US'),
    isComparable ? ratio(own.requestsPerSecond.median / result.requestsPerSecond.median) : '',
    ...latencies,
  ];
}

/** Describes the run in a few lines above the table. */
export function describeRun(run: RunResults): string {
  const { workers, pipeline, load, rounds, seconds, notes } = run;
  const settings =
    `${workers} worker(s), ${pipeline} request(s) at a time on each of ${CONNECTIONS} connections, ` +
    `load ${percent(load)}, ${rounds} round(s) of ${seconds} s.`;
  return [describe(run), settings, ...notes].join('\n');
}

function ratio(value: number): string {
  return `${value.toFixed(2)} x`;
}
