// The program as it is shipped, built for one test file into a folder of its own: threads cannot be started from the
// sources on Node 20, and what lies in dist may be older than the sources.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderOwner } from './folder.ts';

/** The path of its entry. The folder stands beside dist, so that packages and package.json are found, and goes with its owner. */
export function buildProgram(owner: FolderOwner): string {
  const folder = mkdtempSync('dist-test-');
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', folder, '--sourceMap', 'false'];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources do not compile:\n${stdout}`);
  return join(folder, 'cli.js');
}
