// Tests that `npm test` leaves out because they take minutes or need other programs. Builds, then runs the
// files one after another, each in a process of its own, and prints every test as it ends.
//
// VULNDEX_BUILT=1: dist is up to date. VULNDEX_TEST_SKIPS: see `npm test -- --help`.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, npm } from './processes.ts';
import type { FileResult, Progress } from './test/lane-process.ts';
import { runFiles } from './test/run-files.ts';
import { hasFailed, linesOf, linesOfProgress, summaryOf, unexpectedSkipsOf } from './test/summary.ts';

/**
 * The files `test/KIND/*.KIND.ts`, or those whose path contains one of the parts. Ends the process if there
 * is none.
 */
export function longTests(kind: string, parts: readonly string[]): string[] {
  const folder = join('test', kind);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(`.${kind}.ts`))
    .map((name) => join(folder, name))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort();
  if (files.length > 0) return files;
  return fail(`no test below ${folder}/ ${parts.length > 0 ? `matches ${parts.join(', ')}` : 'was found'}`);
}

/** Ends the process. The limit is for each file. */
export async function runLongTests(files: readonly string[], limitMs: number): Promise<never> {
  await build();
  const startMs = performance.now();
  const results: FileResult[] = [];
  const problems = await runFiles({
    files,
    lanes: 1,
    limitMs,
    sharesProcess: false,
    onProgress: show,
    onResult: (result) => {
      results.push(result);
      console.log(`${linesOf({ ...result, diagnostics: [] }, false).join('\n')}\n`);
    },
  });
  return end(results, problems, performance.now() - startMs);
}

/** In place of running the files: all are skipped for this reason. Ends the process. */
export function skipLongTests(files: readonly string[], why: string): never {
  const results = files.map((file): FileResult => {
    const skipped = { kind: 'ended', nesting: 0, isSuite: true, outcome: 'skipped', durationMs: 0 } as const;
    return {
      file,
      tookMs: 0,
      tests: [{ ...skipped, name: file, why }],
      problems: [],
      diagnostics: [],
      output: '',
    };
  });
  return end(results, [], 0);
}

function end(results: readonly FileResult[], otherProblems: readonly string[], tookMs: number): never {
  const problems = [...otherProblems, ...unexpectedSkipsOf(results, process.env.VULNDEX_TEST_SKIPS)];
  console.log([...problems, ...summaryOf(results, tookMs)].join('\n'));
  process.exit(problems.length > 0 || results.some(hasFailed) ? 1 : 0);
}

async function build(): Promise<void> {
  if (process.env.VULNDEX_BUILT !== '1') {
    await npm(['run', '--silent', 'build']).catch((error: Error) => fail(error.message));
  } else if (!existsSync('dist/cli.js')) {
    fail('VULNDEX_BUILT is 1 but there is no dist/cli.js: run `npm run build`, or leave it out');
  }
}

function show(file: string, progress: Progress): void {
  if (progress.kind === 'printed') process.stdout.write(progress.text);
  else for (const line of linesOfProgress(file, progress)) console.log(line);
}
