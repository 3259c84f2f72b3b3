// A temporary folder that goes away with its test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whoever can be waited for: a test's context, or a suite or file with its `after`. */
export interface FolderOwner {
  readonly after: (clean: () => void) => void;
}

/** With a suite's `after` in place of a test's, pass `{ after }`. */
export function temporaryFolder(owner: FolderOwner): string {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-test-'));
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
