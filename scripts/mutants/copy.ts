// Copies of the project in which faults are put and test files run. Each run is a process group of its own
// with limits of time, of memory and of what it writes, and its temporary files lie beside the copy.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killTree, removeFolder } from '../processes.ts';

/** In units of 1 KiB and of 512 bytes: 4 GiB of memory that a process can write, 1 GiB in a file. */
const LIMITS = 'ulimit -d 4194304 -f 2097152; exec "$@"';
const LEFT_OUT = /^(node_modules|dist.*|\.git|.*\.log)$/;
/** Processes that are running in copies. */
export const running = new Set<number | undefined>();

/** Copies the project in the current folder to `copy`. */
export function copyProject(copy: string): void {
  for (const name of readdirSync('.').filter((name) => !LEFT_OUT.test(name))) {
    cpSync(name, join(copy, name), { recursive: true });
  }
  // Not one link: tests keep builds in node_modules/.cache.
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((name) => name !== '.cache')) {
    symlinkSync(join(process.cwd(), 'node_modules', name), join(copy, 'node_modules', name));
  }
  // Tests that build the program shall tell whether the fault shows, not whether the compiler sees it.
  const config = JSON.parse(readFileSync(join(copy, 'tsconfig.build.json'), 'utf8'));
  config.compilerOptions.noCheck = true;
  writeFileSync(join(copy, 'tsconfig.build.json'), JSON.stringify(config));
}

/** Runs node in a copy, and ends whatever it leaves behind. */
export async function run(copy: string, words: readonly string[], limitMs: number) {
  // Within a test, a test file would report to that test's runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const TMPDIR = `${copy}.tmp`;
  mkdirSync(TMPDIR, { recursive: true });
  const options = { cwd: copy, env: { ...env, TMPDIR }, stdio: 'ignore', detached: true } as const;
  const child = spawn('sh', ['-c', LIMITS, 'sh', process.execPath, ...words], options);
  running.add(child.pid);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killTree(child.pid);
  }, limitMs);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  killTree(child.pid);
  running.delete(child.pid);
  // The cache of tsx stays: it is keyed by content.
  const left = readdirSync(TMPDIR).filter((name) => !name.startsWith('tsx-'));
  for (const name of left) removeFolder(join(TMPDIR, name));
  return isLate ? 'timed out' : code === 0 ? 'passed' : 'failed';
}
