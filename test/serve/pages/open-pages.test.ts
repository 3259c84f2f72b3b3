// The pages as a process opens them: the same bytes for both ports, settings for each, and a server without
// them. A built folder as files of a table: types, codings, and which of them never change.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Selection, selectDialects } from '../../../src/dialects/mounts.ts';
import type { StaticFiles } from '../../../src/http/replies/static-files.ts';
import { type OpenPages, openPages, readFiles } from '../../../src/serve/pages/open-pages.ts';
import { temporaryFolder } from '../../support/folder.ts';

function selectionOf(...mounts: readonly string[]): Selection {
  return selectDialects({ mounts, anonymous: [], npmUpstream: undefined, console: true });
}

function builtFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  for (const page of ['console', 'docs']) {
    mkdirSync(join(folder, page));
    writeFileSync(join(folder, page, 'index.html'), `<!doctype html><p>${page}`);
  }
  return folder;
}

/** The pages, and the lines that were logged. */
function openFrom(folder: string, selection = selectionOf('patchstack')): [OpenPages, readonly string[]] {
  const lines: string[] = [];
  const log = { warn: (_: object, text?: string) => void lines.push(text ?? '') };
  return [openPages(selection, log, folder), lines];
}

function textOf(files: StaticFiles, path: string): string {
  return Buffer.from(files.get(path)?.variants[0].bytes ?? []).toString();
}

test('both ports have the console, from the same bytes, and the service has the page of the API', (t) => {
  const [{ service, operations, isBuilt }, lines] = openFrom(builtFolder(t));
  assert.deepEqual([isBuilt, service.absence, lines], [true, undefined, []]);
  assert.equal(textOf(service.console, '/'), '<!doctype html><p>console');
  assert.equal(service.console.get('/'), operations.get('/'));
  assert.equal(textOf(service.docs, '/'), '<!doctype html><p>docs');
  for (const files of [service.console, service.docs, operations]) {
    for (const [path, { headers, variants }] of files) {
      assert.ok(new Map(headers).get('Content-Security-Policy')?.startsWith("default-src 'none'; "), path);
      assert.ok(variants[0].bytes.buffer instanceof SharedArrayBuffer, path);
    }
  }
});

test('the settings say which port it is, where the contract is and what else is spoken', (t) => {
  const folder = builtFolder(t);
  for (const [mounts, contract, listed] of [
    [['patchstack'], '', [{ name: 'patchstack', paths: ['', '/database/api/npm', '/database/api/beta'] }]],
    [
      ['patchstack=/v1', 'osv'],
      '/v1',
      [
        { name: 'patchstack', paths: ['/v1'] },
        { name: 'osv', paths: ['/osv'] },
      ],
    ],
    [['osv=/x'], null, [{ name: 'osv', paths: ['/x'] }]],
  ] as const) {
    const [{ service, operations }] = openFrom(folder, selectionOf(...mounts));
    const common = { version: '0.1.0', contract, mounts: listed };
    assert.deepEqual(JSON.parse(textOf(service.console, '/settings.json')), { ...common, port: 'service' });
    assert.deepEqual(JSON.parse(textOf(operations, '/settings.json')), { ...common, port: 'operations' });
  }
});

test('pages that are not built, or cannot be read, are absent with a reason and one line in the log', (t) => {
  const folder = builtFolder(t);
  rmSync(join(folder, 'docs'), { recursive: true });
  const [missing, lines] = openFrom(folder);
  assert.deepEqual([missing.isBuilt, missing.operations.size, missing.service.console.size], [false, 0, 0]);
  assert.match(missing.service.absence ?? '', /is not built on this server: run `npm run build`/);
  assert.deepEqual(lines, ['the console is not built: run `npm run build`, then restart']);

  writeFileSync(join(folder, 'docs'), 'not a folder');
  const [unreadable, words] = openFrom(folder);
  assert.match(unreadable.service.absence ?? '', /could not be read; the log of this server says why/);
  assert.ok(!unreadable.service.absence?.includes(folder));
  assert.deepEqual(words, ['the files of the console cannot be read: /console and /docs are 404']);
});

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
