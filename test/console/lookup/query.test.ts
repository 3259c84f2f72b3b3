import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentOf, routeOf } from '../../../src/console/app/route.ts';
import {
  explainPath,
  fitsPath,
  parametersOf,
  productPath,
  type Query,
  queryOf,
  unknownType,
} from '../../../src/console/lookup/query.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';

const HOSTILE: readonly Query[] = [
  { type: 'plugin', name: '<img src=x onerror=alert(1)>', version: '1.0&type=npm' },
  { type: 'npm', name: '@a/b', version: '1.0.0-rc.1+build' },
  { type: 'theme', name: '50%25 off?#/operate', version: '100%' },
  { type: 'wordpress', name: 'wordpress', version: '' },
];

test('the address holds a query whatever is in it', () => {
  for (const query of HOSTILE) {
    const { view, parameters } = routeOf(fragmentOf('lookup', parametersOf(query)), 'operate');
    assert.equal(view, 'lookup');
    assert.deepEqual(queryOf(parameters), query);
  }
});

test('every type of the server is kept, and one that it does not have is told, not changed', () => {
  for (const type of PRODUCT_TYPES) {
    const parameters = new URLSearchParams({ type, name: 'x' });
    assert.equal(queryOf(parameters).type, type);
    assert.equal(unknownType(parameters), undefined);
  }
  for (const type of ['acme', 'Plugin', 'constructor', '__proto__'])
    assert.equal(unknownType(new URLSearchParams({ type, name: 'x' })), type);
  assert.equal(unknownType(new URLSearchParams({ name: 'x' })), undefined);
});

test('blanks around the texts do not count, and * is every version', () => {
  const query = queryOf(new URLSearchParams({ type: 'npm', name: ' x ', version: ' * ' }));
  assert.deepEqual(query, { type: 'npm', name: 'x', version: '' });
});

test('a path has the parts of the query and no others', () => {
  for (const query of HOSTILE) {
    const { pathname, search, hash } = new URL(explainPath(query), 'http://server.example');
    const parts = pathname.split('/').map(decodeURIComponent);
    assert.deepEqual(parts, ['', 'explain', query.type, query.name, query.version || '0.0.0']);
    assert.equal(search + hash, '');
  }
  const path = new URL(productPath(HOSTILE[0]), 'http://server.example');
  assert.deepEqual(path.pathname.split('/').map(decodeURIComponent).slice(1), [
    'product',
    'plugin',
    HOSTILE[0].name,
    HOSTILE[0].version,
  ]);
  assert.equal(path.search, '?fix=true');
  assert.equal(productPath({ type: 'npm', name: 'x', version: '' }), '/product/npm/x/*');
});

test('parts that a URL drops do not fit a path', () => {
  assert.ok(!fitsPath({ type: 'npm', name: '..', version: '1.0.0' }));
  assert.ok(!fitsPath({ type: 'plugin', name: 'x', version: '.' }));
  assert.ok(fitsPath({ type: 'plugin', name: '...', version: '.1' }));
});
