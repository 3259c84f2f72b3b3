// `npm run test:mutants`: which small faults do the tests not see?

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, program } from 'commander';
import { handOver } from '../test/support/figure.ts';
import { copyProject, run, running } from './mutants/copy.ts';
import { draw, type Fault, findFaults, KINDS } from './mutants/faults.ts';
import { nearestTests } from './mutants/nearest-tests.ts';
import { killTree, onInterrupt, removeFolder } from './processes.ts';

const WORKERS = 2;
const DEAREST_MS = 120_000; // a test file that takes longer is left out
const TYPES = ['node_modules/typescript/bin/tsc', '--noEmit'];
const OUTCOMES = ['killed', 'timed out', 'refused by the compiler', 'survived', 'not counted'] as const;

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number from 1 to 999999999 is expected.');
}

const options = program
  .name('npm run test:mutants --')
  .description(
    'Puts small faults, one at a time, into a copy of src, runs the test file that mirrors the changed file (where there is none, the nearest ones), and lists the faults that no test saw.',
  )
  .option('--count <n>', 'how many faults', wholeNumber, 20)
  .option('--seed <s>', 'the same seed, the same faults; drawn by default', wholeNumber)
  .option('--files <part>', 'only files of src whose path contains this')
  .option('--json <file>', 'also writes every fault with its outcome to this file')
  .parse()
  .opts<{ count: number; seed?: number; files?: string; json?: string }>();
const { count, seed = Date.now() % 1_000_000, files: part = '', json } = options;
const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => /\.tsx?$/.test(name) && !/node_modules|^src\/loader\/generated/.test(name))
    .sort(),
);
const changed = files.filter((name) => name.startsWith('src') && name.includes(part));
if (json !== undefined) writeFileSync(json, ''); // fails now rather than at the end
const faults = findFaults(process.cwd(), changed);
if (faults.length === 0) program.error(`error: no place for a fault in the files of src with '${part}'`);
const drawn = draw(faults, count, seed);
console.error(`seed ${seed}: ${drawn.length} of ${faults.length} faults in ${changed.length} files`);

const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
const clean = () => {
  for (const pid of running) killTree(pid);
  removeFolder(folder);
};
process.once('exit', clean);
onInterrupt(clean);

const testsOf = nearestTests(files);
const usual = new Map<string, Promise<number | undefined>>();
const results: (Fault & { outcome: (typeof OUTCOMES)[number]; tests: readonly string[] })[] = [];

/** How long the test file takes without a fault; undefined if it is of no use. */
async function measure(copy: string, test: string): Promise<number | undefined> {
  const startMs = performance.now();
  const outcome = await run(copy, ['--import', 'tsx', test], DEAREST_MS);
  if (outcome === 'passed') return performance.now() - startMs;
  const why = outcome === 'failed' ? 'fails without a fault' : `takes more than ${DEAREST_MS / 1000} s`;
  console.error(`left out: ${test} ${why}`);
  return undefined;
}

/** Runs the nearest test file first, until one sees the fault. */
async function tryFault(copy: string, { file, start, before, after }: Fault) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const runFaulty = async (words: readonly string[], limitMs: number) => {
    writeFileSync(path, text.slice(0, start) + after + text.slice(start + before.length));
    return run(copy, words, limitMs).finally(() => writeFileSync(path, text));
  };
  const tests: string[] = [];
  for (const test of testsOf(file)) {
    if (!usual.has(test)) usual.set(test, measure(copy, test));
    const usualMs = await usual.get(test);
    if (usualMs === undefined) continue;
    tests.push(test);
    // A fault that makes a loop endless ends here; a file that is slow because the machine is busy does not.
    const outcome = await runFaulty(['--import', 'tsx', test], 15_000 + 4 * usualMs);
    if (outcome !== 'passed') return { outcome: outcome === 'failed' ? 'killed' : outcome, tests } as const;
  }
  if (tests.length === 0) return { outcome: 'not counted', tests } as const;
  const isRefused =
    (await runFaulty(TYPES, DEAREST_MS)) === 'failed' && (await run(copy, TYPES, DEAREST_MS)) === 'passed';
  return { outcome: isRefused ? 'refused by the compiler' : 'survived', tests } as const;
}

async function work(copy: string): Promise<void> {
  copyProject(copy);
  for (let fault = drawn.shift(); fault !== undefined; fault = drawn.shift()) {
    const { outcome, tests } = await tryFault(copy, fault);
    results.push({ ...fault, outcome, tests });
    const place = `${fault.file}:${fault.line}`;
    console.error(`${results.length} ${outcome}: ${place} ${fault.kind} (${tests.join(' ')})`);
  }
}
await Promise.all(Array.from({ length: WORKERS }, (_, i) => work(join(folder, String(i)))));

const short = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 120);
results.sort((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1));
const survivors = results.filter((each) => each.outcome === 'survived');
for (const { file, line, kind, before, after, tests } of survivors) {
  console.log(`${file}:${line} ${kind}\n  - ${short(before)}\n  + ${short(after)}\n  ran ${tests.join(' ')}`);
}
const countOf = (kind: string, outcome: string): number =>
  results.filter((each) => each.outcome === outcome && (kind === 'all' || each.kind === kind)).length;
handOver({ source: 'mutants', name: `of ${count} survived`, value: survivors.length, unit: 'faults' });
const rowOf = (kind: string) => Object.fromEntries(OUTCOMES.map((each) => [each, countOf(kind, each)]));
console.table(Object.fromEntries([...KINDS, 'all'].map((kind) => [kind, rowOf(kind)])));
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ seed, results }, null, 2)}\n`);
process.exit(0);
