// A temporary folder that goes away with its test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** With a suite's `after` in place of a test's, pass `{ after }`. */
export function temporaryFolder(owner: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-test-'));
  owner.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
