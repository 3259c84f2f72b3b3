// `tsx bench/http/report.ts FILE`: writes the results of a run into docs/performance.md and a summary into README.md,
// between their two marks. The working folder is the repository.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describeRun, type RunResults, resultTable, summaryTable } from './results.ts';

const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** The page with the text between the marks replaced. Throws when it has no marks. */
export function withFigures(page: string, figures: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page has no lines ${BEGIN} and ${END} to write between`);
  return `${page.slice(0, begin + BEGIN.length)}\n${figures}\n${page.slice(end)}`;
}

function main(file: string): void {
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunResults; // the harness wrote it
  const pages = {
    [join('docs', 'performance.md')]: `\n${describeRun(run)}\n\n${resultTable(run)}\n`,
    'README.md': `\n${summaryTable(run.scenarios)}\n`,
  };
  for (const [page, figures] of Object.entries(pages)) {
    writeFileSync(page, withFigures(readFileSync(page, 'utf8'), figures));
    console.log(`${page} written`);
  }
}

if (process.argv[1]?.endsWith('report.ts')) {
  const command = new Command('tsx bench/http/report.ts');
  main(command.argument('<file>', 'written by bench:http with --json').parse().args[0]);
}
