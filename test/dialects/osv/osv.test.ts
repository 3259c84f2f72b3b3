// The dialect as a whole: what its clients send without having been made for this server, and refusals in its
// own shape.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { keyRecord, startServer, type TestResponse } from '../../support/serving/server.ts';

const server = await startServer(
  { after },
  {
    records: [feedRecord(1, { source_id: 'GHSA-aaaa-bbbb-cccc', product: npmProduct('tidy-tree') })],
    keys: [keyRecord('poor-key', 'poor'), keyRecord('slow-key', 'slow')],
    tiers: {
      poor: { endpoints: ['product'], rate: null },
      slow: { endpoints: ['osv'], rate: { limit: 1, window_seconds: 60 } },
    },
  },
);

const QUERY = JSON.stringify({ package: { ecosystem: 'npm', name: 'tidy-tree' }, version: '1.0.0' });
const CALLS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/osv/v1/query', { method: 'POST', body: QUERY }],
  ['/osv/v1/querybatch', { method: 'POST', body: `{"queries":[${QUERY}]}` }],
  ['/osv/v1/vulns/GHSA-aaaa-bbbb-cccc'],
  ['/osv/npm/GHSA-aaaa-bbbb-cccc.json'],
  ['/osv/npm/modified_id.csv'],
  ['/osv/ecosystems.txt'],
];

function codeOf({ status, text }: TestResponse): string {
  const { code, message, ...rest } = JSON.parse(text) as { code: number; message: string };
  assert.deepEqual(rest, {});
  assert.equal(typeof message, 'string');
  return `${status} ${code}`;
}

/** The status and code with which every call is refused. */
async function refusals(headers: Record<string, string>): Promise<string[]> {
  const answers: string[] = [];
  for (const [path, init] of CALLS) answers.push(codeOf(await server.request(path, { ...init, headers })));
  return [...new Set(answers)];
}

test('without a key, with a bad one, and outside of its tier, refusals are errors of this dialect', async () => {
  assert.deepEqual(await refusals({ PSKey: '' }), ['401 16']);
  assert.deepEqual(await refusals({ PSKey: 'nobody' }), ['401 16']);
  assert.deepEqual(await refusals({ PSKey: 'poor-key' }), ['403 7']);
});

test('the API and the files are granted apart', async () => {
  const api = await server.request('/osv/v1/vulns/GHSA-aaaa-bbbb-cccc', { headers: { PSKey: 'slow-key' } });
  assert.equal(api.status, 200);
  const files = await server.request('/osv/ecosystems.txt', { headers: { PSKey: 'slow-key' } });
  assert.equal(codeOf(files), '403 7');
  const again = await server.request('/osv/v1/vulns/GHSA-aaaa-bbbb-cccc', { headers: { PSKey: 'slow-key' } });
  assert.equal(codeOf(again), '429 8');
  assert.match(again.headers.get('retry-after') ?? '', /^\d+$/);
});

test('a wrong method and an unknown path are errors of this dialect', async () => {
  for (const [path, { method = 'GET' } = {}] of CALLS) {
    const other = method === 'GET' ? 'DELETE' : 'GET';
    const response = await server.request(path, { method: other });
    assert.equal(codeOf(response), '405 12', path);
    assert.equal(response.headers.get('allow'), method === 'GET' ? 'GET, HEAD' : 'POST');
  }
  for (const path of ['/osv/', '/osv/v1', '/osv/v1/a/b/c', '/osv/v1/determineversion/x/y']) {
    assert.equal(codeOf(await server.request(path)), '404 5', path);
  }
});

test('a snapshot that is not held, or is not one, is refused with an error of this dialect', async () => {
  for (const [path, init] of CALLS) {
    assert.equal(codeOf(await server.request(`${path}?snapshot=${'0'.repeat(16)}`, init)), '412 9', path);
    assert.equal(codeOf(await server.request(`${path}?snapshot=newest`, init)), '422 3', path);
    const held = server.swap.current()?.id;
    assert.equal((await server.request(`${path}?snapshot=${held}`, init)).status, 200, path);
  }
});

test('while no data is loaded, or the server shuts down, the error is of this dialect', async (t) => {
  const empty = await startServer(t, {});
  assert.equal(codeOf(await empty.request('/osv/ecosystems.txt')), '503 14');
  assert.equal(codeOf(await empty.request('/osv/v1/query', { method: 'POST', body: QUERY })), '503 14');
});

// The kinds of requests of the original's own API tests, and what those say about status and error. Found or
// not depends on the data.
const ORIGINAL: readonly (readonly [query: unknown, status: number, error?: object])[] = [
  [{ package: { name: 'jinja2', ecosystem: 'PyPI' }, version: '3.1.4' }, 200],
  [{ package: { purl: 'pkg:pypi/jinja2@3.1.4' } }, 200],
  [{ package: { purl: 'pkg:pypi/jinja2' }, version: '3.1.4' }, 200],
  [
    { package: { purl: 'pkg:npm/jinja2@3.1.4' }, version: '3.1.4' },
    400,
    { code: 3, message: 'version specified in params and PURL query' },
  ],
  [{ commit: '6879efc2c1596d11a6a6ad296f80063b558d5e0f' }, 200],
  [{ package: { name: 'nokogiri', ecosystem: 'RubyGems' }, version: '1.18.2' }, 200],
  [{ package: { name: 'https://github.com/curl/curl.git', ecosystem: 'GIT' }, version: '8.5.0' }, 200],
];

test('requests of the API tests of osv.dev get the same statuses and errors', async () => {
  for (const [query, status, error] of ORIGINAL) {
    const single = await server.request('/osv/v1/query', { method: 'POST', body: JSON.stringify(query) });
    assert.equal(single.status, status, JSON.stringify(query));
    if (error !== undefined) assert.deepEqual(single.json(), error);
  }
  const commit = JSON.stringify({ queries: [{ commit: '17b30e96476be70b8773b2b807bab857fd3ceb39' }] });
  const batch = await server.request('/osv/v1/querybatch', { method: 'POST', body: commit });
  assert.equal(batch.text, '{"results":[{}]}');
});
