// The routes of the web pages: where they answer, what they leave alone, what they say if there are none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { selectDialects } from '../../src/dialects/mounts.ts';
import { NO_PAGES, type Pages, pageRoutes } from '../../src/dialects/page-routes.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { makeStaticFiles } from '../../src/http/replies/static-files.ts';
import { type Found, RouteTable } from '../../src/http/routing/routes.ts';

const [CONSOLE, DOCS] = ['the console', 'the API'].map((text) =>
  makeStaticFiles([{ path: '/', contentType: 'text/html', bytes: Buffer.from(text) }]),
);
const PAGES: Pages = { console: CONSOLE, docs: DOCS, absence: undefined };

function tableOf(pages: Pages, mounts: readonly string[], console = true): RouteTable {
  const choice = { mounts, anonymous: [], npmUpstream: undefined, console };
  return new RouteTable(selectDialects(choice, DIALECTS, pages).dialects);
}

function shown(found: Found): string {
  switch (found.kind) {
    case 'file':
      return Buffer.from(found.file.variants[0].bytes).toString();
    case 'folder':
      return `to ${found.location}`;
    case 'not-found':
      return found.detail ?? found.kind;
    default:
      return found.kind;
  }
}

test('the pages are at the root, whatever else is on and wherever it is', () => {
  for (const mounts of [['patchstack'], ['patchstack=/v1'], ['osv=/'], ['all']]) {
    const table = tableOf(PAGES, mounts);
    for (const [path, expected] of [
      ['/console', 'to console/'],
      ['/console/', 'the console'],
      ['/docs', 'to docs/'],
      ['/docs/', 'the API'],
      ['/console/x', 'not-found'],
      ['/consoles', 'not-found'],
    ]) {
      assert.equal(shown(table.find('GET', path)), expected, `${path} with ${mounts}`);
    }
    assert.equal(table.find('POST', '/console/').kind, 'wrong-method');
    assert.equal(table.find('GET', '/healthz').kind, 'route');
  }
});

test('a browser is sent from the root to the console, where there is one', () => {
  assert.equal(tableOf(PAGES, ['patchstack']).home?.location, 'console/');
  assert.equal(tableOf({ ...NO_PAGES, absence: 'not built' }, ['patchstack']).home, undefined);
  assert.equal(tableOf(PAGES, ['patchstack'], false).home, undefined);
});

test('where there are none, their paths say why; where they are off, they are like any other', () => {
  const absent = { ...NO_PAGES, absence: 'not built' };
  for (const path of ['/console', '/console/', '/console/x/y', '/docs', '/docs/x']) {
    assert.equal(shown(tableOf(absent, ['patchstack']).find('GET', path)), 'not built', path);
    assert.equal(shown(tableOf(PAGES, ['patchstack'], false).find('GET', path)), 'not-found', path);
  }
});

test('files are not in the OpenAPI document, which is the same without them', () => {
  for (const mounts of [['patchstack'], ['osv=/osv-api']]) {
    const [on, off] = [true, false].map((console) =>
      openApiDocument(selectDialects({ mounts, anonymous: [], npmUpstream: undefined, console }).dialects),
    );
    assert.deepEqual(on, off);
  }
});

test('pages can be posted to a thread', () => {
  assert.deepEqual(structuredClone(PAGES), PAGES);
  assert.equal(pageRoutes(structuredClone(PAGES)).routes.length, 2);
});
