// `npm run bench -- [NAME...] [options]`. Compiled first: the loader that runs TypeScript directly wraps every named
// inner function, which costs more than some of what is measured here.

import { Argument, Command, Option } from 'commander';
import { between, writeJson } from '../options.ts';
import { BENCH_NAMES, runSuite, USUAL_NAMES } from './suite.ts';

interface Options {
  readonly only: readonly string[];
  readonly advisories: number;
  readonly time: number;
  readonly rounds: number;
  readonly task: string;
  readonly json?: string;
}

const command = new Command('npm run bench --')
  .addArgument(new Argument('[name...]', 'the benches to run').choices(BENCH_NAMES))
  .addOption(new Option('--only <name...>', 'the same').choices(BENCH_NAMES).default([]))
  .option('--advisories <n>', 'size of the corpus', between(1, 10_000_000), 100_000)
  .option('--time <ms>', 'per task, over all rounds', between(1, 10_000_000), 600)
  .option('--rounds <n>', 'in which the tasks take turns', between(1, 10_000_000), 5)
  .option('--task <text>', 'only tasks whose question or name contains this', '')
  .option('--json <file>', 'results as JSON too')
  .parse();
const { only, advisories, time: timeMs, rounds, task, json } = command.opts<Options>();
const named = [...only, ...command.args];
const report = await runSuite({
  advisories,
  timeMs,
  rounds,
  names: named.length === 0 ? USUAL_NAMES : named,
  task,
  say: console.log,
});
writeJson(json, report);
