// A temporary folder that is removed however the command ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs `work` in a new folder. `atEnd` runs before the folder is removed, also after an error or a signal.
 */
export async function inWorkFolder<Result>(
  work: (folder: string) => Promise<Result>,
  atEnd: () => void = () => {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-bench-'));
  const cleanUp = (): void => {
    atEnd();
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupt = (): void => {
    cleanUp();
    process.exit(130);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work(folder);
  } finally {
    cleanUp();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
