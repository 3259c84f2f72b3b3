import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from '../../src/files/replace-file.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a file is created or replaced, and nothing else is left', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'a.json');
  replaceFile(path, 'one');
  replaceFile(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.deepEqual(readdirSync(folder), ['a.json']);
});

test('what cannot be replaced is an error that leaves nothing behind', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'a.json');
  mkdirSync(path);
  assert.throws(() => replaceFile(path, 'text'), { code: 'EISDIR' });
  assert.throws(() => replaceFile(join(folder, 'nowhere', 'b'), 'text'), { code: 'ENOENT' });
  assert.deepEqual(readdirSync(folder), ['a.json']);
});
