// CORS: the headers of preflights and of ordinary replies, and that there are none without a policy.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { corsHeaders, corsPolicy, preflightHeaders } from '../../../src/http/replies/cors.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { OTHER_ECOSYSTEM } from '../../support/feeds/osv.ts';
import { openApiDocument } from '../../support/serving/openapi.ts';
import { keyRecord, outcomeOf, startServer, type TestServer } from '../../support/serving/server.ts';

const SHOP = 'https://shop.example';
const RECORDS = [feedRecord(1)];

const tinyTier = { endpoints: ['exists'], rate: { limit: 1, window_seconds: 60 } } as const;
const listed = await startServer(
  { after },
  {
    records: RECORDS,
    cors: corsPolicy([SHOP, 'http://localhost:3000']),
    tiers: { tiny: tinyTier },
    keys: [keyRecord('tiny-key', 'tiny')],
  },
);
const anybody = await startServer({ after }, { records: RECORDS, cors: corsPolicy(['*']) });
const off = await startServer({ after }, { records: RECORDS });

/** Bypasses the OpenAPI check: preflights are sent by the browser itself and are not operations. */
function preflightOf(server: TestServer, path: string, origin: string, method = 'GET'): Promise<Response> {
  return fetch(server.address + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'pskey',
    },
  });
}

function corsHeadersOf({ headers }: { readonly headers: Headers }): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'),
  );
}

/** Fetch 2.2.2, for replies that a page may read. */
const ALWAYS_READABLE = new Set(['Cache-Control', 'Content-Length', 'Content-Type']);

/** The headers of all replies in the OpenAPI document. */
const EXPOSED = [
  ...new Set(
    [
      ...Object.values(openApiDocument.paths).flatMap(({ get, post }) =>
        [get, post].flatMap((operation) => Object.values(operation?.responses ?? {})),
      ),
      ...Object.values(openApiDocument.components.responses),
    ].flatMap((response) => ('headers' in response ? Object.keys(response.headers ?? {}) : [])),
  ),
]
  .filter((name) => !ALWAYS_READABLE.has(name))
  .sort();

const READABLE = {
  'access-control-allow-origin': SHOP,
  'access-control-expose-headers': EXPOSED.join(', '),
  vary: 'Origin',
};

test('a preflight from a listed origin gets the methods of the path and the headers that can carry a key', async () => {
  for (const [path, methods] of [
    ['/all', 'GET, HEAD'],
    ['/database/api/npm/latest', 'GET, HEAD'],
    ['/batch', 'POST'],
    ['/vulnerability/1', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
  ]) {
    const response = await preflightOf(listed, path, SHOP, methods === 'POST' ? 'POST' : 'GET');
    assert.equal(response.status, 204, path);
    assert.equal(await response.text(), '');
    assert.equal(response.headers.get('content-length'), null, 'a 204 has no length');
    assert.deepEqual(corsHeadersOf(response), {
      ...READABLE,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'PSKey, Authorization, Content-Type, If-None-Match, X-Request-Id',
      'access-control-max-age': '600',
    });
  }
});

test('a connection stays usable after a preflight', async () => {
  await preflightOf(listed, '/batch', SHOP, 'POST');
  const body = '[{"type":"plugin","name":"gallery","version":"1.0","exists":true}]';
  const response = await listed.request('/batch', { method: 'POST', body, headers: { Origin: SHOP } });
  assert.equal(response.status, 200);
  assert.deepEqual(corsHeadersOf(response), READABLE);
});

test('a preflight from another origin gets the same 405 as without a policy', async () => {
  for (const origin of [
    'https://other.example',
    'http://shop.example',
    `${SHOP}:8443`,
    `${SHOP}.other.example`,
    'null',
  ]) {
    const response = await preflightOf(listed, '/all', origin);
    assert.equal(response.status, 405, origin);
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
    assert.deepEqual(corsHeadersOf(response), { vary: 'Origin' });
  }
});

test('a preflight for an unknown path gets 404, and the page may read it', async () => {
  const response = await preflightOf(listed, '/nothing', SHOP);
  assert.equal(response.status, 404);
  assert.deepEqual(corsHeadersOf(response), READABLE);
});

test('an OPTIONS request that is not a preflight gets 405', async () => {
  const plain = await fetch(`${listed.address}/all`, { method: 'OPTIONS', headers: { Origin: SHOP } });
  assert.equal(plain.status, 405);
  const headers = { 'Access-Control-Request-Method': 'GET' };
  assert.equal((await fetch(`${listed.address}/all`, { method: 'OPTIONS', headers })).status, 405);
});

test('a page may read every kind of reply: data, 304, refusals, errors, a body that is too large', async () => {
  const ask = (path: string, init: RequestInit = {}): ReturnType<TestServer['request']> =>
    listed.request(path, { ...init, headers: { Origin: SHOP, ...init.headers } });
  const fresh = await ask('/all');
  const responses = [
    fresh,
    await ask('/all', { headers: { 'If-None-Match': fresh.headers.get('etag') ?? '' } }),
    await ask('/all', { headers: { PSKey: '' } }),
    await ask('/all', { headers: { PSKey: 'tiny-key' } }),
    await ask('/product/plugin/gallery/1.0/exists', { headers: { PSKey: 'tiny-key' } }),
    await ask('/product/plugin/gallery/1.0/exists', { headers: { PSKey: 'tiny-key' } }),
    await ask('/all?per_page=0'),
    await ask('/vulnerability/2'),
    await ask('/batch', { method: 'POST', body: ' '.repeat(65 * 1024) }),
    await ask('/healthz'),
  ];
  assert.deepEqual(
    responses.map((response) => response.status),
    [200, 304, 401, 403, 200, 429, 422, 404, 413, 200],
  );
  for (const response of responses) assert.deepEqual(corsHeadersOf(response), READABLE, outcomeOf(response));
});

test('a page can read that an answer is not about all that it asked for', async () => {
  const query = { package: { name: 'x', ecosystem: OTHER_ECOSYSTEM }, version: '1' };
  const init = { method: 'POST', body: JSON.stringify(query), headers: { Origin: SHOP } };
  const { status, headers } = await listed.request('/osv/v1/query', init);
  assert.deepEqual([status, headers.get('vulndex-unknown-ecosystems')], [200, OTHER_ECOSYSTEM]);
  assert.match(headers.get('access-control-expose-headers') ?? '', /\bVulndex-Unknown-Ecosystems\b/);
});

test('replies to other origins, and to requests without one, have Vary, so that no cache serves them to a page', async () => {
  for (const headers of [{ Origin: 'https://other.example' }, {}]) {
    assert.deepEqual(corsHeadersOf(await listed.request('/all', { headers })), { vary: 'Origin' });
  }
});

test('with * every page may read, and no reply varies with the origin', async () => {
  const expected = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': READABLE['access-control-expose-headers'],
  };
  for (const headers of [{ Origin: 'https://other.example' }, { Origin: 'null' }, {}]) {
    assert.deepEqual(corsHeadersOf(await anybody.request('/all', { headers })), expected);
  }
  const response = await preflightOf(anybody, '/batch', 'https://other.example', 'POST');
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-methods'), 'POST');
});

test('without a policy no reply has CORS headers', async () => {
  const response = await preflightOf(off, '/all', SHOP);
  assert.equal(response.status, 405);
  assert.deepEqual(corsHeadersOf(response), {});
  assert.deepEqual(corsHeadersOf(await off.request('/all', { headers: { Origin: SHOP } })), {});
  assert.equal(corsPolicy([]), undefined);
});

test('credentials are never allowed: a key comes from the page’s own code', () => {
  for (const origins of [['*'], [SHOP]]) {
    const policy = corsPolicy(origins);
    assert.ok(policy !== undefined);
    const sent: Record<string, string> = { origin: SHOP, 'access-control-request-method': 'GET' };
    const request = { method: 'OPTIONS', header: (name: string) => sent[name] ?? '' };
    const headers = [
      ...corsHeaders(policy, SHOP),
      ...(preflightHeaders(policy, request, 'GET, HEAD', ['PSKey']) ?? assert.fail()),
    ];
    assert.ok(headers.every(([name]) => name !== 'Access-Control-Allow-Credentials'));
  }
});
