// The program as shipped, for tests that start processes or threads: Node 20 cannot start threads from the
// sources, a process under tsx takes 2 s to start, and dist may be older than the sources. One build serves
// every test file until a source changes.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { words } from '../words.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Inside node_modules, so that a build finds its packages. */
const BUILDS = join(ROOT, 'node_modules', '.cache', 'vulndex', 'builds');
const INPUTS = words(`
  src scripts/build-console.ts scripts/build-start.ts scripts/console tsconfig.build.json tsconfig.json
  package-lock.json
`);
/** Other checkouts and the one before a change may still use theirs. */
const KEPT = 4;

let entry: string | undefined;

/** The absolute path of its entry, `dist/cli.js`, beside which are the console and the page of the API. */
export function builtProgram(): string {
  entry ??= join(build(), 'dist', 'cli.js');
  return entry;
}

/**
 * The path of a file that today's sources make from data that never changes, made once for all test files.
 * `make` writes it to the path that it is given.
 */
export async function madeOnce(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const folder = dirname(dirname(builtProgram()));
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const scratch = join(folder, `.${process.pid}-${name}`);
  try {
    await make(scratch);
    renameSync(scratch, path);
  } finally {
    rmSync(scratch, { force: true });
  }
  return path;
}

/** The folder of the build. It appears by rename, so that another process never sees half of one. */
function build(): string {
  const target = join(BUILDS, hashOf(INPUTS.flatMap(filesBelow)));
  if (existsSync(target)) return target;
  const scratch = `${target}.${process.pid}.tmp`;
  mkdirSync(scratch, { recursive: true });
  try {
    const dist = join(scratch, 'dist');
    run(
      'node_modules/typescript/bin/tsc',
      '-p',
      'tsconfig.build.json',
      '--outDir',
      dist,
      '--sourceMap',
      'false',
    );
    run('--import', 'tsx', 'scripts/build-start.ts', dist);
    run('--import', 'tsx', 'scripts/build-console.ts', dist);
    copyFileSync(join(ROOT, 'package.json'), join(scratch, 'package.json')); // the entry reads its version
    renameSync(scratch, target);
  } catch (error) {
    if (!existsSync(target)) throw error; // else another process was faster
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  removeOld();
  return target;
}

function run(...words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} failed:\n${stdout}${stderr}`);
}

function filesBelow(path: string): string[] {
  const full = join(ROOT, path);
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(ROOT.length))
    .sort();
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  const builds = readdirSync(BUILDS)
    .filter((name) => !name.endsWith('.tmp'))
    .map((name) => join(BUILDS, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of builds.slice(KEPT)) rmSync(old, { recursive: true, force: true });
}
