// `npm run bench -- [NAME...] [options]`: each start is a process of its own, on one corpus. Compiled first:
// the loader that runs TypeScript directly wraps every named inner function, which costs more than some of
// what is measured here.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { FEWEST_STARTS } from '../comparison.ts';
import { type Corpus, describe, makeCorpus } from '../corpus.ts';
import { between } from '../options.ts';
import { inWorkFolder } from '../work-folder.ts';
import { report } from './rows.ts';
import { BENCH_NAMES, type BenchStart, runSuite, type SuiteOptions } from './suite.ts';

/** What a start is given. */
interface Order {
  readonly corpus: Corpus;
  readonly suite: SuiteOptions;
}

interface Options extends Omit<SuiteOptions, 'names'> {
  readonly advisories: number;
  readonly starts: number;
}

function inOwnProcess(order: Order): Promise<BenchStart[]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url));
    child.once('message', (starts: BenchStart[]) => resolve(starts));
    // No effect once resolved.
    child.once('exit', (status) => reject(new Error(`a start ended with status ${status}`)));
    child.send(order);
  });
}

async function main(): Promise<void> {
  const command = new Command('npm run bench --')
    .addArgument(new Argument('[name...]', 'the benches to run').choices(BENCH_NAMES))
    .option('--advisories <n>', 'size of the corpus', between(1, 10_000_000), 100_000)
    .option('--starts <n>', 'processes that measure, one after another', between(1, 100), FEWEST_STARTS)
    .option('--rounds <n>', 'of each start, in which the tasks take turns', between(1, 100), 1)
    .option('--round-ms <ms>', 'of a task; load and compile run once', between(1, 1_000_000), 100)
    .option('--task <text>', 'only tasks whose question or name contains this', '')
    .parse();
  const { advisories, starts: count, ...rest } = command.opts<Options>();
  const names = command.args.length === 0 ? BENCH_NAMES : command.args;
  await inWorkFolder(async (folder) => {
    const corpus = await makeCorpus(folder, advisories);
    console.log(describe('bench', corpus));
    const starts: BenchStart[][] = [];
    while (starts.length < count) {
      console.error(`start ${starts.length + 1} of ${count}`);
      starts.push(await inOwnProcess({ corpus, suite: { ...rest, names } }));
    }
    console.log(report(starts));
  });
}

if (process.send === undefined) await main();
else {
  process.once('message', async ({ corpus, suite }: Order) => {
    const starts = await runSuite(corpus, suite);
    process.send?.(starts, () => process.disconnect());
  });
}
