// The results of a run, as stored in its JSON file and as a table for people.

import type { Result } from './measure.ts';
import type { TargetName } from './target.ts';
import { CONNECTIONS } from './wrk.ts';

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  /** Distinct requests that were sent in turn. */
  readonly requestCount: number;
  /** Of the reply nearest to the mean length. */
  readonly bodyBytes: number;
  /** First 16 hex digits of the SHA-256 over the bodies of all our replies. */
  readonly answersHash: string;
  readonly results: readonly Result[];
}

export interface RunResults {
  readonly command: string;
  readonly machine: string;
  readonly node: string;
  readonly advisories: number;
  readonly workers: number;
  readonly pipeline: number;
  /** Share of each server's own capacity. */
  readonly load: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly snapshotId: string;
  /** What was left out, and why. */
  readonly notes: readonly string[];
  readonly scenarios: readonly ScenarioResult[];
}

export const TARGET_LABELS: Readonly<Record<TargetName, string>> = {
  vulndex: 'vulndex',
  uws: 'bare uWebSockets.js',
  'nginx-file': 'nginx, static file',
  'nginx-return': 'nginx, return',
  fastify: 'Fastify, better-sqlite3',
};

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

/**
 * A Markdown table. For a server whose cores were not full, throughput and latency are marked as left out, except
 * for latencies of a run that limited the load on purpose. Pipelined runs have no latencies: wrk times such requests
 * by the batch, and some not at all.
 */
export function resultTable({
  scenarios,
  load,
  pipeline,
}: Pick<RunResults, 'scenarios' | 'load' | 'pipeline'>): string {
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
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i].length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(HEADINGS), rule, ...rows.map(line)].join('\n');
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

/** Describes the run in a line or two above the table. */
export function describeRun(run: RunResults): string {
  const lines = [
    `${run.advisories.toLocaleString('en-US')} advisories (snapshot ${run.snapshotId}), ${run.workers} worker(s), ` +
      `${run.pipeline} request(s) at a time on each of ${CONNECTIONS} connections, load ${percent(run.load)}, ` +
      `${run.rounds} round(s) of ${run.seconds} s.`,
    `${run.machine}, Node ${run.node}. \`${run.command}\``,
    ...run.notes,
  ];
  return lines.join('\n');
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function ratio(value: number): string {
  return `${value.toFixed(2)} x`;
}
