// `npm run bench:start -- [options]`: how long the program takes from its start to its first answer, and to
// its version and help, in multiples of `node -e 0` right before. Builds in turn. The working folder is the
// repository.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { budgetReport, STARTS, type StartName } from './budgets.ts';
import { compare, FEWEST_STARTS, LEGEND, type Pair, ratioText } from './comparison.ts';
import { compileAgainst, describe, makeCorpus } from './corpus.ts';
import { figureOf, markdownTable, percent } from './figures.ts';
import { unbuilt } from './http/needs.ts';
import { between } from './options.ts';
import { inWorkFolder } from './work-folder.ts';

interface Options {
  readonly advisories: number;
  readonly starts: number;
  readonly against?: string;
}

const NAMES = Object.keys(STARTS) as StartName[]; // as written there
const PATH = '/product/plugin/no-such-plugin/1.0/exists';

/** Milliseconds from the start of a process to its end. */
async function toEnd(words: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - startMs;
}

/** Milliseconds from the start of a server to its first answer, asked for when it says that it listens. */
async function toAnswer(entry: string, snapshots: string): Promise<number> {
  const startMs = performance.now();
  const words = [entry, 'serve', '--snapshots', snapshots, '--port', '0', '--ops-port', '0'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      const address = /^listening on (http:\S+)$/m.exec(printed)?.[1];
      if (address === undefined) continue;
      const key = /key for this run: (\S+)/.exec(printed)?.[1] ?? '';
      const { status } = await fetch(address + PATH, { headers: { PSKey: key } });
      if (status !== 200) throw new Error(`${entry}: the first answer has status ${status}`);
      return performance.now() - startMs;
    }
    throw new Error(`${entry} ended before it listened:\n${printed}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function main({ advisories, starts, against }: Options, folder: string): Promise<void> {
  const corpus = await makeCorpus(folder, advisories);
  const builds = [{ label: 'vulndex', checkout: '.', snapshots: corpus.snapshots }];
  if (against !== undefined) {
    const snapshots = dirname(compileAgainst(against, corpus));
    builds.push({ label: 'the other build', checkout: against, snapshots });
  }
  const pairs = new Map<string, Pair[][]>();
  for (let start = 0; start < starts; start++) {
    for (const name of NAMES) {
      for (const { label, checkout, snapshots } of builds) {
        const entry = join(checkout, 'dist', 'cli.js');
        const empty = await toEnd(['-e', '0']);
        const { words } = STARTS[name];
        const took = words === undefined ? await toAnswer(entry, snapshots) : await toEnd([entry, ...words]);
        const key = `${name} ${label}`;
        pairs.set(key, [...(pairs.get(key) ?? []), [[took, empty]]]);
      }
    }
  }
  const measured = NAMES.flatMap((name) =>
    builds.map(({ label }) => ({ name, label, starts: pairs.get(`${name} ${label}`) ?? [] })),
  );
  const rows = measured.map(({ name, label, starts: each }) => {
    const { median, spread } = figureOf(each.map(([[took]]) => took));
    const title = STARTS[name].title;
    return [title, label, `${median.toFixed(0)} (${percent(spread)})`, ratioText(compare(each))];
  });
  console.log(describe('bench:start', corpus));
  console.log(`\n${markdownTable(['start', 'build', 'ms', 'x `node -e 0`'], rows, 2)}\n\n${LEGEND}\n`);
  const spent = measured.filter(({ label }) => label === builds[0].label);
  console.log(
    budgetReport(
      spent.map(({ name, starts: each }) => ({ name, title: STARTS[name].title, comparison: compare(each) })),
    ),
  );
}

const options = new Command('npm run bench:start --')
  .option('--advisories <n>', 'size of the corpus', between(1_000, 1_000_000), 20_000)
  .option('--starts <n>', 'of each build', between(1, 100), FEWEST_STARTS)
  .option('--against <dir>', 'another checkout, built, to measure in turn with this one')
  .parse()
  .opts<Options>();
const lacks = unbuilt(options.against);
for (const line of lacks) console.error(line);
if (lacks.length > 0) process.exitCode = 1;
else await inWorkFolder((folder) => main(options, folder));
