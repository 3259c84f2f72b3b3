// The program as shipped, built for one test file into its own folder: Node 20 cannot start threads from the
// sources, and dist may be older than the sources.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderOwner } from './folder.ts';

/**
 * The path of its entry. The folder is beside dist, so that packages and package.json are found, and is removed with its owner.
 * `hasPages`: with the console and the page of the API, which most tests do not need.
 */
export function buildProgram(owner: FolderOwner, hasPages = false): string {
  const folder = mkdtempSync('dist-test-');
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  run(compiler, '-p', 'tsconfig.build.json', '--outDir', folder, '--sourceMap', 'false');
  if (hasPages) run(join('scripts', 'build-console.js'), folder);
  return join(folder, 'cli.js');
}

function run(script: string, ...words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} failed:\n${stdout}${stderr}`);
}
