// A built folder as files of a table: types, codings, and which of them never change.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFiles } from '../../../src/serve/pages/read-files.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('each file is read once, with its coded forms and its type, and index.html is the folder’s own', (t) => {
  const folder = temporaryFolder(t);
  const names = ['index.html', 'index.html.br', 'main-1A2B3C4D.js', 'main-1A2B3C4D.js.gz', 'a.svg', 'b.what'];
  for (const name of names) writeFileSync(join(folder, name), name);
  const files = readFiles(folder).map(({ bytes, br, gzip, ...rest }) => ({
    ...rest,
    texts: [bytes, br, gzip].map((each) => (each === undefined ? '' : Buffer.from(each).toString())),
  }));
  const byPath = new Map(files.map(({ path, ...rest }) => [path, rest]));
  assert.deepEqual(byPath.get('/'), {
    contentType: 'text/html; charset=utf-8',
    isForever: false,
    texts: ['index.html', 'index.html.br', ''],
  });
  assert.deepEqual(byPath.get('/main-1A2B3C4D.js'), {
    contentType: 'text/javascript; charset=utf-8',
    isForever: true,
    texts: ['main-1A2B3C4D.js', '', 'main-1A2B3C4D.js.gz'],
  });
  assert.equal(byPath.get('/a.svg')?.contentType, 'image/svg+xml');
  assert.equal(byPath.get('/b.what')?.contentType, 'application/octet-stream');
  assert.deepEqual([...byPath.keys()].sort(), ['/', '/a.svg', '/b.what', '/main-1A2B3C4D.js']);
});

test('only a name that ends in a hash lets a browser keep a file', (t) => {
  const folder = temporaryFolder(t);
  const kept = ['view-ABCDEFGH.js', 'a-b-01234567.css'];
  const asked = ['view.js', 'view-abcdefgh.js', 'view-ABCDEFG.js', 'licenses.txt', 'ABCDEFGH.js'];
  for (const name of [...kept, ...asked]) writeFileSync(join(folder, name), '');
  for (const { path, isForever } of readFiles(folder))
    assert.equal(isForever, kept.includes(path.slice(1)), path);
});

test('a folder that is not there, or in the place of a file, is an error of the file system', (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => readFiles(join(folder, 'none')), { code: 'ENOENT' });
  mkdirSync(join(folder, 'index.html'));
  assert.throws(() => readFiles(folder), { code: 'EISDIR' });
});
