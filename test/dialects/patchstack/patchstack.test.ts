// How the contract's clients send keys; its path table, and the few cases that need a socket.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { RouteTable } from '../../../src/http/routing/routes.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1),
      feedRecord(2, { product: npmProduct('@scope/pkg'), affected: [span(null, '2.0.0', 'exclusive')] }),
    ],
  },
);

const table = new RouteTable([patchstack]);

/** The label and the variables of the path, or the outcome for a path that no route answers. */
function findRoute(method: string, path: string): readonly string[] | string | { readonly allow: string } {
  const found = table.find(method, path);
  switch (found.kind) {
    case 'route':
      return [found.bound.label, ...found.parts];
    case 'wrong-method':
      return { allow: found.allow };
    case 'file':
    case 'folder':
    case 'rest':
    case 'not-found':
      return found.kind;
  }
}

test('every endpoint answers at the root and below each base path', () => {
  for (const { path: base } of patchstack.mounts) {
    assert.deepEqual(findRoute('GET', `${base}/all`), ['all']);
    assert.deepEqual(findRoute('GET', `${base}/latest`), ['latest']);
    assert.deepEqual(
      findRoute('GET', `${base}/product/plugin/gallery/1.0`),
      words('product plugin gallery 1.0'),
    );
    assert.deepEqual(
      findRoute('GET', `${base}/product/plugin/gallery/1.0/exists`),
      words('exists plugin gallery 1.0'),
    );
    assert.deepEqual(findRoute('POST', `${base}/batch`), ['batch']);
    assert.deepEqual(findRoute('GET', `${base}/vulnerability/5`), ['vulnerability', '5']);
    assert.deepEqual(findRoute('GET', `${base}/products`), ['products']);
    assert.deepEqual(findRoute('GET', `${base}/statistics`), ['statistics']);
    assert.deepEqual(findRoute('GET', `${base}/openapi.json`), ['openapi']);
    assert.deepEqual(findRoute('GET', `${base}/healthz`), ['healthz']);
    assert.deepEqual(findRoute('GET', `${base}/readyz`), ['readyz']);
  }
});

test('double slashes from joining a base URL and a path are ignored', () => {
  for (const path of ['//all', '///all', '/database/api/npm//all', '//database/api/beta///all']) {
    assert.deepEqual(findRoute('GET', path), ['all'], path);
  }
});

test('a path that no endpoint has is not found, whatever the method', () => {
  const paths = [
    '',
    ...words(`
      / /ALL all database/api/npm/all /all/ /all/1 /latest/ /batch/ /batch/1 /vulnerability /vulnerability/1/2
      /product /product/plugin /product/plugin/gallery /product/plugin/gallery/1.0/
      /product/plugin/gallery/1.0/EXISTS /product/plugin/gallery/1.0/exists/ /product/plugin/@scope/pkg/1.0
      /products/ /products/plugin /product/npm/@scope/pkg/1.0/exists/1 /database/api /database/api/npm
      /database/api/npmall /database/api/other/all /database/api/npm/database/api/npm/all /healthz/ /metrics
    `),
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      assert.deepEqual(findRoute(method, path), 'not-found', `${method} ${path}`);
    }
  }
});

test('a wrong method gets the allowed ones', () => {
  const read = ['/all', '/latest', '/product/theme/a/1', '/product/theme/a/1/exists', '/vulnerability/1'];
  for (const path of [...read, '/openapi.json', '/healthz', '/readyz']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      assert.deepEqual(findRoute(method, path), { allow: 'GET, HEAD' }, path);
    }
  }
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
    assert.deepEqual(findRoute(method, '/batch'), { allow: 'POST' }, method);
  }
});

test('a scoped npm name is the same product with its slash unescaped, escaped, or both of its parts escaped', () => {
  const decoded = (path: string): unknown => {
    const found = findRoute('GET', path);
    assert.ok(Array.isArray(found), path);
    const [label, type, name, version] = found;
    assert.equal(type, 'npm', path);
    return [label, decodeURIComponent(name), version];
  };
  for (const name of ['@scope/pkg', '@scope%2Fpkg', '@scope%2fpkg', '%40scope%2Fpkg', '%40scope/pkg']) {
    assert.deepEqual(decoded(`/product/npm/${name}/1.2.3`), ['product', '@scope/pkg', '1.2.3'], name);
    assert.deepEqual(decoded(`/product/npm/${name}/1.2.3/exists`), ['exists', '@scope/pkg', '1.2.3'], name);
    assert.deepEqual(decoded(`/product/npm/${name}/exists/exists`), ['exists', '@scope/pkg', 'exists'], name);
    assert.deepEqual(decoded(`/product/npm/${name}/`), ['product', '@scope/pkg', ''], name);
  }
  assert.deepEqual(
    findRoute('GET', '/product/%6epm/@scope/pkg/1.2.3'),
    words('product %6epm @scope/pkg 1.2.3'),
  );
});

test('a package or a plugin called exists is a name like any other', () => {
  assert.deepEqual(findRoute('GET', '/product/npm/exists/1.0.0'), ['product', 'npm', 'exists', '1.0.0']);
  assert.deepEqual(findRoute('GET', '/product/plugin/a/exists'), ['product', 'plugin', 'a', 'exists']);
});

test('empty parts of a product path are passed on, for the handler to refuse', () => {
  assert.deepEqual(findRoute('GET', '/product///'), ['product', '', '', '']);
});

test('over a socket, all spellings of a scoped name find the package', async () => {
  for (const name of ['@scope/pkg', '@scope%2Fpkg', '@scope%2fpkg', '%40scope%2Fpkg', '%40scope/pkg']) {
    const { vulnerabilities } = (await server.request(`/product/npm/${name}/1.0.0`)).json();
    assert.deepEqual(
      vulnerabilities.map((item: { id: number }) => item.id),
      [2],
      name,
    );
    const exists = await server.request(`/product/npm/${name}/1.0.0/exists`);
    assert.deepEqual(exists.json(), { vulnerable: true }, name);
  }
});

test('over a socket, base paths and double slashes give the same bytes', async () => {
  const { text } = await server.request('/all?platform=npm');
  for (const path of words('//all /database/api/npm/all /database/api/beta//all //database/api/npm/all')) {
    assert.equal((await server.request(`${path}?platform=npm`)).text, text, path);
  }
  // The base path does not choose a platform: the default stays.
  assert.equal((await server.request('/database/api/npm/all')).json().vulnerabilities[0].id, 1);
});

test('over a socket, a wrong method gets 405 with Allow and an unknown path 404', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await server.request('/all', { method });
    assert.equal(outcomeOf(response), '405 method_not_allowed', method);
    assert.equal(response.headers.get('allow'), 'GET, HEAD', method);
  }
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const response = await server.request('/batch', { method });
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get('allow'), 'POST', method);
  }
  for (const path of ['/', '/nowhere', '/database/api/npm', '/product/plugin/gallery', '/ALL']) {
    assert.equal(outcomeOf(await server.request(path)), '404 not_found', path);
    assert.equal(outcomeOf(await server.request(path, { method: 'DELETE' })), '404 not_found', path);
  }
});

function keyIn(headers: Readonly<Record<string, string>>): string {
  return patchstack.keys.read({ header: (name) => headers[name] ?? '' });
}

test('a key is sent in any of the forms that clients have, and in no other way', () => {
  assert.equal(keyIn({ pskey: 'one' }), 'one');
  assert.equal(keyIn({ authorization: 'Bearer two' }), 'two');
  assert.equal(keyIn({ authorization: 'Token token=two' }), 'two');
  assert.equal(keyIn({ authorization: 'Basic two' }), '');
  assert.equal(keyIn({ 'x-api-key': 'three' }), '');
});

test('PSKey wins over a bearer token, whatever is in it', () => {
  assert.equal(keyIn({ pskey: 'one', authorization: 'Bearer two' }), 'one');
});
