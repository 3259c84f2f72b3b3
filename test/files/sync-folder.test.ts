import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { syncFolder } from '../../src/files/sync-folder.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a folder is written out; what is not there is an error of the system', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  syncFolder(folder);
  assert.throws(() => syncFolder(join(folder, 'missing')), { code: 'ENOENT' });
});
