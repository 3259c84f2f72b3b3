// The program compiled from its sources into a temporary folder: worker threads of Node 20 run no TypeScript.

import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type FolderOwner, temporaryFolder } from './folder.ts';

/** The path of its entry. */
export function buildProgram(owner: FolderOwner): string {
  const folder = temporaryFolder(owner);
  const dist = join(folder, 'dist');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const compiler = resolve('node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', dist]);
  return join(dist, 'cli.js');
}
