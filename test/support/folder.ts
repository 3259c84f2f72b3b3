// A temporary folder that is removed with its test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An owner with an end: a test's context, or a suite or file with its `after`. */
export interface FolderOwner {
  readonly after: (clean: () => void) => void;
}

/** For the `after` of a suite instead of a test, pass `{ after }`. */
export function temporaryFolder(owner: FolderOwner): string {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-test-'));
  // Retries: a server that ends later may write into it while it is emptied.
  owner.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
