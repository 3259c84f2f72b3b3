// The program as shipped, built for one test file into its own folder: Node 20 cannot start threads from the
// sources, and dist may be older than the sources.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderOwner } from './folder.ts';

/** The path of its entry. The folder is beside dist, so that packages and package.json are found, and is removed with its owner. */
export function buildProgram(owner: FolderOwner): string {
  const folder = mkdtempSync('dist-test-');
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', folder, '--sourceMap', 'false'];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources do not compile:\n${stdout}`);
  return join(folder, 'cli.js');
}
