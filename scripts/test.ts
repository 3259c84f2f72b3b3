// `npm test`: runs the test files below test/ in processes that they share. One file alone: npx tsx --test
// FILE.

import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FileResult } from './test/lane-process.ts';
import { runFiles } from './test/run-files.ts';
import { hasFailed, linesOf, summaryOf, unexpectedSkipsOf } from './test/summary.ts';

const HELP = `npm test -- [PART...] [--full] [--verbose] [--lanes N] [--skips FILE]

Runs every test file below test/, or those whose path contains one of the parts.

  --full        random tests at their full volume   (VULNDEX_TEST_FULL=1; default: a tenth)
  --verbose     every test and diagnostic           (VULNDEX_TEST_VERBOSE=1)
  --lanes N     processes that share the files      (VULNDEX_TEST_LANES; default: one a core, and one more,
                                                    since tests wait for what they start)
  --skips FILE  fails when a test is skipped for a reason that matches no line of FILE
                                                    (VULNDEX_TEST_SKIPS)
`;
// For a test: far beyond the slowest, on a busy machine.
const LIMIT_MS = 300_000;
const FULL_LIMIT_MS = 1_200_000;
/** Folders whose files take longest start first, so that no lane is left alone with one at the end. */
const FIRST = [
  'test/serve/run',
  'test/e2e/',
  'test/runner',
  'test/cli/',
  'test/mutants',
  'test/serve/',
  'test/http/',
];

function fail(message: string): never {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: process.env.VULNDEX_TEST_FULL === '1' },
        verbose: { type: 'boolean', default: process.env.VULNDEX_TEST_VERBOSE === '1' },
        lanes: {
          type: 'string',
          default: process.env.VULNDEX_TEST_LANES ?? String(availableParallelism() + 1),
        },
        skips: { type: 'string', default: process.env.VULNDEX_TEST_SKIPS ?? '' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function rankOf(file: string): number {
  const rank = FIRST.findIndex((part) => file.startsWith(part));
  return rank === -1 ? FIRST.length : rank;
}

const { values, positionals } = readOptions();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const lanes = Number(values.lanes);
if (!Number.isInteger(lanes) || lanes < 1) fail(`--lanes is ${values.lanes}: a number from 1 is expected`);
if (values.skips !== '' && !existsSync(values.skips))
  fail(`--skips is ${values.skips}: there is no such file`);
if (values.full) process.env.VULNDEX_TEST_FULL = '1';

const all = readdirSync('test', { recursive: true })
  .map((name) => join('test', String(name)))
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'));
const missing = positionals.filter((part) => !all.some((file) => file.includes(part)));
if (all.length === 0) fail('no test file was found below test/');
if (missing.length > 0) fail(`no test file below test/ matches ${missing.join(', ')}`);
const files = all
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));

const startMs = performance.now();
const results: FileResult[] = [];
const problems = await runFiles({
  files,
  lanes: Math.min(lanes, files.length),
  limitMs: values.full ? FULL_LIMIT_MS : LIMIT_MS,
  sharesProcess: true,
  onResult: (result) => {
    results.push(result);
    console.log(linesOf(result, values.verbose).join('\n'));
  },
});
problems.push(...unexpectedSkipsOf(results, values.skips));
console.log(['', ...problems, ...summaryOf(results, performance.now() - startMs)].join('\n'));
process.exit(problems.length > 0 || results.some(hasFailed) ? 1 : 0);
