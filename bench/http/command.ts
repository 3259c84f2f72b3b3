// What the commands of this folder share: a temporary working folder, servers that are stopped however the command
// ends, one line for a wrong option, results in a file.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { killAll } from './child.ts';
import { OptionError } from './options.ts';

/** Runs `work` with a temporary folder of that name, and cleans up afterwards, also after an error or a signal. */
export async function inWorkFolder(name: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const cleanUp = (): void => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupt = (): void => {
    cleanUp();
    process.exit(130);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await work(folder);
  } finally {
    cleanUp();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** Runs a command's `main`; an OptionError becomes its message and exit status 1. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** Writes results as JSON; does nothing without a path. */
export function writeJson(path: string | undefined, results: unknown): void {
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}
