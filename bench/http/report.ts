// `tsx bench/http/report.ts FILE`: writes the results of a run into docs/performance.md, between its two marks, and
// draws the charts beside it. The working folder is the repository.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuChart } from './charts.ts';
import { describeRun, type RunResults, resultTable } from './results.ts';

const PAGE = join('docs', 'performance.md');
const CHARTS = join('docs', 'charts');
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';
const SUMMARY_SCENARIOS: readonly string[] = ['exists-hit', 'product-3', 'all-100', 'batch-full'];

/** The page with the text between the marks replaced. Throws when it has no marks. */
export function withFigures(page: string, figures: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no lines ${BEGIN} and ${END} to write between`);
  return `${page.slice(0, begin + BEGIN.length)}\n${figures}\n${page.slice(end)}`;
}

/** What the README shows: one scenario of each kind, without the server that has only constant answers. */
function summaryOf(run: RunResults): RunResults {
  const scenarios = run.scenarios
    .filter(({ name }) => SUMMARY_SCENARIOS.includes(name))
    .map((scenario) => {
      const results = scenario.results.filter(({ target }) => target !== 'nginx-return');
      return { ...scenario, results };
    });
  return { ...run, scenarios };
}

function main(file: string): void {
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunResults; // the harness wrote it
  const figures = `\n${describeRun(run)}\n\n${resultTable(run)}\n`;
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), figures));
  mkdirSync(CHARTS, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    writeFileSync(join(CHARTS, `http-cpu-${theme}.svg`), cpuChart(run, theme));
    writeFileSync(join(CHARTS, `summary-${theme}.svg`), cpuChart(summaryOf(run), theme));
  }
  console.log(`${PAGE} and the charts in ${CHARTS} written`);
}

if (process.argv[1]?.endsWith('report.ts')) {
  const file = process.argv[2];
  if (file === undefined) {
    console.error('usage: tsx bench/http/report.ts FILE, the file that bench:http wrote with --json');
    process.exitCode = 1;
  } else main(file);
}
