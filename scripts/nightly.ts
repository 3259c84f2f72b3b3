// `.ci/nightly [PART...]`: checks that need time or a quiet machine, each part alone or all of them. What is
// correct is checked once. A figure beyond its bound is measured twice more, and fails if it is beyond in two
// of the three. Every figure becomes a row of .ci/nightly.tsv.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Argument, program } from 'commander';
import type { Figure } from '../test/support/figure.ts';
import { ageText, appendRows, lastGreen, type Row, readRows, WHOLE } from './nightly/history.ts';
import { type Judged, judge, type Ran } from './nightly/judge.ts';
import { PARTS, type Part } from './nightly/parts.ts';
import { fail, killTree, npm, onInterrupt } from './processes.ts';

const HISTORY = '.ci/nightly.tsv';

const names = PARTS.map(({ name }) => name);
const command = program
  .name('.ci/nightly')
  .description(
    'Runs the long checks and adds their figures to a history. Exits 1 if a test fails, or a figure is beyond its bound in two of three measurements.',
  )
  .addArgument(new Argument('[part...]', 'what to run; all of it by default').choices(names))
  .option(
    '--history <file>',
    'a tab-separated file of figures',
    process.env.VULNDEX_NIGHTLY_HISTORY ?? HISTORY,
  )
  .option('--age', 'only say how old the last green run of all parts is')
  .parse();
const { history, age } = command.opts<{ history: string; age?: boolean }>();

if (age === true) {
  console.log(ageText(readRows(history), Date.now()));
  process.exit(0);
}

const startMs = performance.now();
const chosen = command.args.length === 0 ? PARTS : PARTS.filter(({ name }) => command.args.includes(name));
const commit = commitNow();
const folder = mkdtempSync(join(tmpdir(), 'vulndex-nightly-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
install();
await npm(['run', '--silent', 'build']).catch((error: Error) => fail(error.message));

const rows: Row[] = [];
for (const part of chosen) {
  console.log(`\n== ${part.name}, on Node ${part.node}`);
  const load = loadavg()[0];
  const partMs = performance.now();
  const judged = await judge(part, readRows(history), (words) => run(part, words));
  const seconds = (performance.now() - partMs) / 1_000;
  judged.push({ figure: 'time', value: seconds, unit: 's', bound: undefined, verdict: 'noted' });
  record(part, load, judged);
}
if (chosen.length === PARTS.length) {
  const seconds = (performance.now() - startMs) / 1_000;
  const verdict = rows.some((row) => row.verdict === 'red') ? 'red' : 'green';
  const whole = { name: WHOLE, node: process.version.slice(1).split('.')[0] };
  record(whole, loadavg()[0], [{ figure: 'time', value: seconds, unit: 's', bound: undefined, verdict }]);
}
const red = rows.filter(({ verdict }) => verdict === 'red');
console.log(`\n${table(rows)}\n`);
console.log(`${rows.length - red.length} passed, ${red.length} failed`);
process.exit(red.length > 0 ? 1 : 0);

/** Runs one command of a part and reads the figures that it handed over. */
async function run({ node, env }: Part, [program, ...words]: readonly string[]): Promise<Ran> {
  const path = join(folder, 'figures.ndjson');
  rmSync(path, { force: true });
  const child = spawn(program, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: {
      ...process.env,
      ...pathFor(node),
      ...against(),
      VULNDEX_BUILT: '1',
      VULNDEX_FIGURES: path,
      ...env,
    },
  });
  const end = onInterrupt(() => killTree(child.pid));
  const [status] = (await once(child, 'exit')) as [number | null];
  end();
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return { status: status ?? 1, figures: lines.map((line) => JSON.parse(line) as Figure) };
}

/** Puts a release before others; the one that runs this needs no further copy. */
function pathFor(node: string): NodeJS.ProcessEnv {
  if (process.version.startsWith(`v${node}.`)) return {};
  const bin = resolve('.ci', 'node_modules', `node-${node}`, 'bin');
  if (!existsSync(bin)) fail(`Node ${node} is not in ${bin}; run: npm --prefix .ci ci`);
  return { PATH: `${bin}${delimiter}${process.env.PATH}` };
}

/** What the part about speed is compared with. */
function against(): NodeJS.ProcessEnv {
  const green = lastGreen(readRows(history))?.commit;
  return green === undefined ? {} : { VULNDEX_BENCH_BASE: green.replace('+', '') };
}

function record(part: Pick<Part, 'name' | 'node'>, load: number, judged: readonly Judged[]): void {
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const added = judged.map((each): Row => ({ at, commit, node: part.node, load, part: part.name, ...each }));
  rows.push(...added);
  appendRows(history, added);
}

/** As root on Debian, also the packages that tests ask for. */
function install(): void {
  const { status } = spawnSync('bash', ['.ci/install'], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail('.ci/install failed: see above; it needs root and the registries of npm and Debian');
}

function commitNow(): string {
  const git = (...words: readonly string[]): string =>
    spawnSync('git', words, { encoding: 'utf8' }).stdout.trim();
  const changed = git('status', '--porcelain', '--', '.', `:!${HISTORY}`);
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : '+'}`;
}

function table(all: readonly Row[]): string {
  return all
    .map(({ part, figure, value, unit, bound, verdict }) => {
      const limit = bound === undefined ? '' : `at most ${Number(bound.toPrecision(4))}`;
      return `${verdict.padEnd(6)} ${part.padEnd(10)} ${figure}: ${Number(value.toPrecision(4))} ${unit} ${limit}`.trimEnd();
    })
    .join('\n');
}
