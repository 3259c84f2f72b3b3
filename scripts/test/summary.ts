// What a run of tests says: a line for each file, failures in full, what was skipped and why, the slowest
// files, and the counts in the last line.

import { readFileSync } from 'node:fs';
import type { FileResult, Progress } from './lane-process.ts';
import type { Ended } from './messages.ts';

const SLOWEST = 10;

export interface Skip {
  readonly reason: string;
  readonly tests: number;
}

export function hasFailed({ tests, problems }: FileResult): boolean {
  return problems.length > 0 || tests.some(({ outcome }) => outcome === 'failed');
}

/** `isVerbose`: every test and diagnostic; otherwise those of a file that failed. */
export function linesOf(result: FileResult, isVerbose: boolean): string[] {
  const { file, tests, problems, diagnostics, output } = result;
  const failed = hasFailed(result);
  const all = failed || isVerbose;
  return [
    `${failed ? 'FAILED' : 'ok'} ${file} (${plural(tests.length, 'test')}, ${seconds(result.tookMs)})`,
    ...tests.filter(({ outcome }) => isVerbose || outcome === 'failed').flatMap(linesOfTest),
    ...problems.map((problem) => indent(problem)),
    ...(all ? diagnostics : []).map((text) => indent(text)),
    ...(output === '' || !all ? [] : [indent(`it printed:\n${output.trimEnd()}`)]),
  ];
}

/** For a run that shows each test as it ends. */
export function linesOfProgress(file: string, progress: Progress): string[] {
  if (progress.kind === 'started' && progress.name === file) return [`== ${file}`];
  if (progress.kind === 'ended' && (!progress.isSuite || progress.outcome === 'skipped'))
    return linesOfTest(progress);
  return progress.kind === 'diagnostic' ? [indent(progress.text, 4)] : [];
}

function linesOfTest({ name, outcome, durationMs, why }: Ended): string[] {
  const mark = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' }[outcome];
  return [`  ${mark} ${name} (${seconds(durationMs)})`, ...(why === '' ? [] : [indent(why, 4)])];
}

/** Why tests were skipped and how many for each reason, sorted. */
export function skipsOf(results: readonly FileResult[]): Skip[] {
  const counts = new Map<string, number>();
  for (const { tests } of results) {
    for (const { outcome, why } of tests) {
      if (outcome === 'skipped')
        counts.set(why || 'no reason given', (counts.get(why || 'no reason given') ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([reason, tests]) => ({ reason, tests }))
    .sort((a, b) => (a.reason < b.reason ? -1 : 1));
}

/** Skips whose reason matches no line of an expected list: a pattern a line, `#` begins a comment. */
export function unexpectedSkips(skips: readonly Skip[], expected: string): Skip[] {
  const patterns = expected
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new RegExp(`^(?:${line})$`));
  return skips.filter(({ reason }) => !patterns.some((pattern) => pattern.test(reason)));
}

/** The same for a run, in words; none without a file of expected ones. */
export function unexpectedSkipsOf(results: readonly FileResult[], file = ''): string[] {
  if (file === '') return [];
  return unexpectedSkips(skipsOf(results), readFileSync(file, 'utf8')).map(
    ({ reason, tests }) => `${tests} skipped for a reason that ${file} does not expect: ${reason}`,
  );
}

/** The last line is what CI looks for. */
export function summaryOf(results: readonly FileResult[], tookMs: number): string[] {
  const tests = results.flatMap((result) => result.tests);
  const count = (outcome: Ended['outcome']): number =>
    tests.filter((test) => test.outcome === outcome).length;
  const broken = results.filter(hasFailed);
  // A file that fails outside of its tests counts as one failure.
  const failures = count('failed') + broken.filter(({ problems }) => problems.length > 0).length;
  const slowest = [...results].sort((a, b) => b.tookMs - a.tookMs).slice(0, SLOWEST);
  return [
    ...skipsOf(results).map(({ reason, tests }) => `skipped ${plural(tests, 'test')}: ${reason}`),
    `the slowest of ${plural(results.length, 'file')} in ${seconds(tookMs)}:`,
    ...slowest.map(({ file, tookMs }) => `${seconds(tookMs).padStart(9)} ${file}`),
    ...broken.map(({ file }) => `FAILED ${file}`),
    `${count('passed')} passed, ${failures} failed, ${count('skipped')} skipped`,
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function indent(text: string, by = 2): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by));
}
