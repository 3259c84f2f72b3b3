// GET /products, as a client sees it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer } from '../../support/serving/server.ts';

const MARKUP = '<img src=x onerror="alert(1)">';
const SLUGS = ['gallery', 'gallery-pro', 'Galleria', 'żółw', MARKUP, 'zebra'];

const server = await startServer(
  { after },
  {
    records: [
      ...SLUGS.map((slug, i) =>
        feedRecord(i + 1, { product: { id: i + 1, type: 'plugin', slug, name: slug } }),
      ),
      feedRecord(20, { product: { id: 1, type: 'plugin', slug: 'gallery', name: 'gallery' } }),
      feedRecord(21, {
        product: { id: 1, type: 'plugin', slug: 'gallery', name: 'gallery' },
        withdrawn_at: '2026-01-05T00:00:00Z',
      }),
      feedRecord(22, {
        product: { id: 30, type: 'plugin', slug: 'gone', name: 'gone' },
        withdrawn_at: '2026-01-05T00:00:00Z',
      }),
      ...['@scope/pkg', 'JSONStream', 'json5', 'Json'].map((name, i) =>
        feedRecord(40 + i, { product: npmProduct(name, 40 + i) }),
      ),
      ...Array.from({ length: 25 }, (_, i) =>
        feedRecord(100 + i, { product: { id: 100 + i, type: 'theme', slug: `t${i + 10}`, name: 't' } }),
      ),
    ],
  },
);

async function named(query: string): Promise<string[]> {
  const response = await server.request(`/products?${query}`);
  assert.equal(response.status, 200, response.text);
  return response.json().products.map(({ name }: { name: string }) => name);
}

test('suggests the names that begin with a text, with their published advisories', async () => {
  const response = await server.request('/products?type=plugin&prefix=gal');
  assert.equal(
    response.text,
    '{"products":[{"name":"gallery","advisories":2},{"name":"galleria","advisories":1},{"name":"gallery-pro","advisories":1}]}',
  );
});

test('folds the text as a lookup of the type does', async () => {
  assert.deepEqual(await named('type=plugin&prefix=GALLERY'), ['gallery', 'gallery-pro']);
  assert.deepEqual(await named('type=plugin&prefix=%C5%BB%C3%93'), ['żółw']);
  assert.deepEqual(await named('type=npm&prefix=JSON'), ['JSONStream', 'json5']);
  assert.deepEqual(await named('type=npm&prefix=json'), ['json5']);
  assert.deepEqual(await named('type=npm&prefix=@scope/'), ['@scope/pkg']);
});

test('shows a name with markup as it is, and decodes the text once', async () => {
  assert.deepEqual(await named('type=plugin&prefix=%3Cimg+src'), [MARKUP]);
  assert.deepEqual(await named('type=plugin&prefix=%253C'), []);
});

test('has products whose advisories were all withdrawn: a lookup knows them too', async () => {
  const response = await server.request('/products?type=plugin&prefix=gone');
  assert.deepEqual(response.json(), { products: [{ name: 'gone', advisories: 0 }] });
  assert.equal((await server.request('/explain/plugin/gone/1.0')).json().known_product, true);
});

test('without a text lists the first names, ten unless told, twenty at most', async () => {
  const first = Array.from({ length: 20 }, (_, i) => `t${i + 10}`);
  assert.deepEqual(await named('type=theme'), first.slice(0, 10));
  assert.deepEqual(await named('type=theme&prefix='), first.slice(0, 10));
  assert.deepEqual(await named('type=theme&limit=1&more=ignored'), first.slice(0, 1));
  assert.deepEqual(await named('type=theme&limit=20'), first);
  assert.deepEqual(await named('type=wordpress'), []);
});

test('takes a text of 256 bytes, and no longer one', async () => {
  assert.deepEqual(await named(`type=npm&prefix=${'%C3%A9'.repeat(128)}`), []);
  const response = await server.request(`/products?type=npm&prefix=${'%C3%A9'.repeat(128)}a`);
  assert.equal(outcomeOf(response), '422 invalid_parameter prefix');
  assert.deepEqual(response.json().errors, [{ parameter: 'prefix', message: 'must have at most 256 bytes' }]);
});

test('refuses bad parameters, each with its reason', async () => {
  for (const [query, outcome] of [
    ['', 'type'],
    ['type=plug-in', 'type'],
    ['type=', 'type'],
    ['type=plugin&type=theme', 'type'],
    ['type=plugin&prefix=a&prefix=b', 'prefix'],
    ['type=plugin&prefix=%ff', 'prefix'],
    ['type=plugin&prefix=a%00', 'prefix'],
    ['type=plugin&limit=0', 'limit'],
    ['type=plugin&limit=21', 'limit'],
    ['type=plugin&limit=', 'limit'],
    ['type=plugin&limit=1e1', 'limit'],
    ['type=plugin&limit=-1&limit=2', 'limit'],
    ['type=x&prefix=%0a&limit=x', 'type, prefix, limit'],
  ]) {
    const response = await server.request(`/products?${query}`);
    assert.equal(outcomeOf(response), `422 invalid_parameter ${outcome}`, query);
  }
});

test('answers from the snapshot that the request names, and not again while that is the same', async (t) => {
  const changing = await startServer(t, { records: [feedRecord(1)] });
  const id = changing.swap.current()?.id;
  const before = await changing.request('/products?type=plugin');
  const again = { headers: { 'If-None-Match': before.headers.get('etag') ?? '' } };
  assert.equal((await changing.request('/products?type=plugin', again)).status, 304);
  assert.equal((await changing.request('/products?type=x', again)).status, 422);
  await changing.publish([feedRecord(1), feedRecord(2)], Date.UTC(2026, 0, 11));
  const advisories = async (query: string): Promise<number> =>
    (await changing.request(`/products?type=plugin${query}`)).json().products[0].advisories;
  assert.deepEqual([await advisories(''), await advisories(`&snapshot=${id}`)], [2, 1]);
});
