// A temporary folder that is removed with its test.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../scripts/processes.ts';

/** An owner with an end: a test's context, or a suite or file with its `after`. */
export interface FolderOwner {
  readonly after: (clean: () => void) => void;
}

/** For the `after` of a suite instead of a test, pass `{ after }`. */
export function temporaryFolder(owner: FolderOwner): string {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-test-'));
  // A server of the same test is ended after this, in the order in which both were asked for, and may write.
  owner.after(() => removeFolder(folder));
  return folder;
}
