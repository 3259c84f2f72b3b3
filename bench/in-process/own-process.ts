// Runs a script of this folder in a process of its own, so that its peak of memory is its own too.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What one compilation took: the script prints exactly this, as JSON. */
export interface Once {
  readonly ms: number;
  readonly peakBytes: number;
  readonly id: string;
  readonly snapshotBytes: number;
}

/** `name` without its extension. Throws if the script fails. */
export function inOwnProcess(name: string, words: readonly string[]): Once {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const script = fileURLToPath(new URL(`./${name}.${extension}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, script, ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ended with status ${status}:\n${stderr}`);
  return JSON.parse(stdout) as Once; // the script prints exactly this
}
