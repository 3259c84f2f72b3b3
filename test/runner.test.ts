// The runner behind `npm test`: what it says of files that fail, leave something behind, end their process or
// never end, and that nothing outlives a run.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FileResult } from '../scripts/test/lane-process.ts';
import { runFiles } from '../scripts/test/run-files.ts';
import { hasFailed, linesOf, skipsOf, summaryOf, unexpectedSkips } from '../scripts/test/summary.ts';
import { temporaryFolder } from './support/folder.ts';
import { until } from './support/until.ts';

const onLinux = process.platform === 'linux' ? {} : { skip: 'what a process holds is read from /proc' };

const fixture = (name: string): string => join('test', 'fixtures', 'runner', `${name}.ts`);

/** Runs fixtures in one lane, one after another. */
async function run(names: readonly string[], limitMs = 600_000): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const files = names.map(fixture);
  const plan = { files, lanes: 1, limitMs, goneMs: 0, sharesProcess: true };
  const problems = await runFiles({ ...plan, onResult: (result) => results.push(result) });
  assert.deepEqual(problems, []);
  return results;
}

test('a file that leaves something behind fails by name, and not the file after it', onLinux, async () => {
  const left: readonly (readonly [string, RegExp])[] = [
    ['server', /leaves behind: .*a server on port \d+/],
    ['timer', /leaves behind: .*a Timeout/],
    ['global', /leaves behind: Math\.random was changed/],
    ['variable', /leaves behind: process\.env\.VULNDEX_LEFT_BEHIND was undefined and is 1/],
    ['file', /leaves behind: left-behind in its temporary folder/],
    ['process', /leaves behind: the process \d+/],
  ];
  const results = await run([...left.map(([what]) => `leaves-${what}`), 'sound']);
  left.forEach(([what, message], i) => {
    const [problem, ...more] = results[i].problems;
    assert.deepEqual([problem.includes(fixture(`leaves-${what}`)), more], [true, []], problem);
    assert.match(problem, message);
  });
  assert.equal(hasFailed(results[left.length]), false);
});

test('a file fails by name if it ends its process, cannot be loaded or has no test, and the next file runs', async () => {
  const results = await run(['fails', 'breaks', 'empty', 'dies', 'sound']);
  const said = results.map(({ tests, problems }) => [
    tests.map(({ outcome }) => outcome).join(),
    problems.map((problem) => problem.split('\n')[0]).join(),
  ]);
  assert.deepEqual(said, [
    ['failed', ''],
    ['', 'Error: cannot be loaded'],
    ['', 'it has no test'],
    ['', `its process ended with SIGKILL, in "${fixture('dies')}"`],
    ['passed', ''],
  ]);
});

test('a test that takes too long is ended and named', async () => {
  const [hung] = await run(['hangs'], 3_000);
  assert.deepEqual(hung.problems, ['nothing began or ended for 3 s, in "on and on"']);
});

test('skipped tests and suites are told with their reason, and a list of expected reasons finds the others', async () => {
  const skips = skipsOf(await run(['skips']));
  assert.deepEqual(skips, [
    { reason: 'no addon', tests: 1 },
    { reason: 'no browser', tests: 1 },
  ]);
  const unexpected = (list: string): string[] => unexpectedSkips(skips, list).map(({ reason }) => reason);
  assert.deepEqual(unexpected(''), ['no addon', 'no browser']);
  assert.deepEqual(unexpected('# a comment\nno (addon|binary)\n'), ['no browser']);
  assert.deepEqual(unexpected('no addon\nno'), ['no browser'], 'a line is the whole reason');
});

test('the summary has the failures in full, the dearest files and the counts', async () => {
  const results = await run(['fails', 'sound', 'skips']);
  const [failed] = results;
  assert.match(
    linesOf(failed, false).join('\n'),
    /^FAILED .*fails\.ts .*\n +FAILED one and one .*\n.*AssertionError/s,
  );
  assert.match(linesOf(results[1], false).join('\n'), /^ok .*sound\.ts \(1 test, \d+\.\d s\)$/);
  const lines = summaryOf(results, 1_000);
  assert.ok(lines.includes('skipped 1 test: no browser'));
  assert.equal(lines.filter((line) => /^ +\d+\.\d s /.test(line)).length, 3);
  assert.equal(lines.at(-1), '1 passed, 1 failed, 2 skipped');
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`a run that ends by ${signal} leaves no process, port or folder`, onLinux, async (t) => {
    const { runner, port, pid, folder } = await servingRun(t);
    runner.kill(signal);
    await until('its process to be gone', () => !existsSync(`/proc/${pid}`) || isZombie(pid));
    await until('its port to be closed', () => isRefused(port));
    await until('its folder to be gone', () =>
      readdirSync(folder).every((name) => !name.startsWith('vulndex-run-')),
    );
  });
}

interface ServingRun {
  readonly runner: ChildProcess;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
}

/** A runner whose file serves on a port and has started a process. */
async function servingRun(t: TestContext): Promise<ServingRun> {
  const folder = join(temporaryFolder(t), 'tmp');
  mkdirSync(folder);
  const runner = spawn(process.execPath, ['--import', 'tsx', fixture('run')], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => runner.kill('SIGKILL'));
  let printed = '';
  runner.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const line = (): string | undefined => /^\{.*\}$/m.exec(printed)?.[0]; // Node may print warnings too
  await until('the file to serve', () => line() !== undefined);
  return { runner, folder, ...(JSON.parse(line() ?? '') as { readonly port: number; readonly pid: number }) };
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });
}

test('a part that matches no file, an unknown option and a missing list are refused with what to do', () => {
  const said = (...words: readonly string[]): string => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/test.ts', ...words], {
      encoding: 'utf8',
    });
    assert.equal(status, 2, stderr);
    return stderr;
  };
  assert.match(
    said('tidy', 'no-such-part'),
    /^no test file below test\/ matches no-such-part\n\nnpm test -- \[PART/,
  );
  assert.match(said('--lanes', '0'), /^--lanes is 0: a number from 1 is expected\n/);
  assert.match(said('--skips', 'nowhere'), /^--skips is nowhere: there is no such file\n/);
  assert.match(said('--no-such'), /--no-such/);
});
