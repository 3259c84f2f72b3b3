// A dialect of two routes, added as one value beside the contract: what the plumbing gives it without another change,
// and what it must not take from its neighbour.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildKeyTable } from '../../src/access/key-table.ts';
import { type KeysFile, parseKeysFile } from '../../src/access/keys-file.ts';
import { patchstack } from '../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../src/http/auth.ts';
import { corsPolicy } from '../../src/http/cors.ts';
import { type Dialect, endpointsOf, labelsOf } from '../../src/http/dialect.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import type { OpenApiDocument } from '../../src/http/openapi/model.ts';
import { RateLimiter, RateLimiterTable } from '../../src/http/rate-limit.ts';
import { json, type Reply } from '../../src/http/responses.ts';
import { RouteTable } from '../../src/http/routes.ts';
import { Service } from '../../src/http/service.ts';
import { coreAdvisory, generationOf } from '../support/generation.ts';
import { keyRecord } from '../support/server.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const ORIGIN = 'https://page.example';

/** Errors in one line of text; a key in a header of its own; a count of advisories, and an echo of what it was sent. */
const toy: Dialect = {
  name: 'toy',
  mounts: [
    { path: '/toy/v1', description: 'The toy.' },
    { path: '/old-toy', description: 'Where it was before.' },
  ],
  keys: {
    headers: ['Toy-Key'],
    read: (request) => request.header('toy-key'),
    advice: 'Bring a Toy-Key.',
    challenge: 'Toy',
  },
  routes: [
    {
      kind: 'read',
      pattern: '/counts/{platform}',
      endpoint: 'counts',
      label: 'toy-counts',
      answer: (_, [platform], { generation }) => json(`{"${platform}":${generation.publishedCount}}`, null),
      operation: {
        operationId: 'countToys',
        summary: 'Count',
        description: 'Counts.',
        tags: ['toys'],
        responses: { '200': { description: 'The count.' } },
      },
    },
    {
      kind: 'body',
      pattern: '/echo',
      endpoint: 'batch',
      label: 'toy-echo',
      maxBodyBytes: 8,
      tooLarge: 'Eight bytes at most.',
      answer: (query, _, body, __, admit) => admit(body.length) ?? json(`"${query} ${body}"`, null),
      operation: {
        operationId: 'echoToys',
        summary: 'Echo',
        description: 'Echoes.',
        tags: ['toys'],
        responses: { '200': { description: 'The echo.' } },
      },
    },
  ],
  tellError: ({ status, code, detail }, requestId) => ({
    status: status === 401 ? 403 : status,
    contentType: 'text/plain',
    body: `${code} (${requestId}): ${detail}`,
  }),
  openApi: {
    description: 'And toys.',
    security: [{ ToyKey: [] }],
    tags: [{ name: 'toys', description: 'Toys.' }],
    components: {
      schemas: {},
      headers: {},
      parameters: {},
      responses: {},
      securitySchemes: {
        ToyKey: { type: 'apiKey', in: 'header', name: 'Toy-Key', description: 'The toys’ own.' },
      },
    },
  },
};

const both = [patchstack, toy];
const tiers: KeysFile['tiers'] = {
  all: { endpoints: ['all', 'counts', 'batch'], rate: { limit: 3, window_seconds: 30 }, batch_cost: 'item' },
  none: { endpoints: ['exists'], rate: null },
};

type Ask = (
  method: string,
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
) => Reply;

/** A service of both dialects with fresh quotas, as a function from a request to its reply. */
async function serve(t: TestContext): Promise<Ask> {
  const generation = await generationOf(t, [coreAdvisory(1), coreAdvisory(2)]);
  const file: KeysFile = { tiers, keys: [keyRecord('good', 'all'), keyRecord('poor', 'none')] };
  const limits = new RateLimiterTable();
  const ring = new KeyRing(buildKeyTable(file, limits.slotsOf(file)));
  const service = new Service({
    dialects: both,
    generation: () => generation,
    keys: () => ring,
    limiter: new RateLimiter(limits.memory),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    cors: corsPolicy([ORIGIN]),
    nowMs: () => NOW_MS,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  return (method, target, headers = {}, body = '') => {
    const [path, query = ''] = target.split('?');
    const header = (name: string): string => headers[name] ?? '';
    const result = service.handle({ method, path, query, header });
    if (!('kind' in result)) return result;
    return body.length > result.maxBytes ? result.tooLarge() : result.finish(Buffer.from(body));
  };
}

function told({ status, body }: Reply): string {
  return `${status} ${typeof body === 'string' ? body : Buffer.from(body).toString()}`;
}

const GOOD = { 'toy-key': 'good' };

test('its routes answer below each of its mounts, with their variables, and nowhere else', async (t) => {
  const ask = await serve(t);
  assert.equal(told(ask('GET', '/toy/v1/counts/npm', GOOD)), '200 {"npm":2}');
  assert.equal(told(ask('HEAD', '/old-toy//counts/', GOOD)), '200 {"":2}');
  for (const path of ['/counts/npm', '/toy/counts/npm', '/toy/v1', '/database/api/npm/toy/v1/counts/npm']) {
    assert.match(told(ask('GET', path, GOOD)), /^404 .*"code":"not_found"/, path);
  }
});

test('its endpoint can be granted in a keys file', () => {
  const counting = { endpoints: ['counts'], rate: null };
  const text = JSON.stringify({ tiers: { counting }, keys: [] });
  assert.deepEqual(parseKeysFile(text, 'keys.json', endpointsOf(both)).tiers, { counting });
  assert.throws(() => parseKeysFile(text, 'keys.json', endpointsOf([patchstack])), /"counts" is not one of/);
});

test('it reads keys its own way, and a tier must have the endpoint', async (t) => {
  const ask = await serve(t);
  assert.equal(told(ask('GET', '/toy/v1/counts/npm')), '403 missing_key (made-up): Bring a Toy-Key.');
  const challenged = ask('GET', '/toy/v1/counts/npm', { pskey: 'good' }); // the neighbour's header
  assert.match(challenged.head, /\r\nWWW-Authenticate: Toy(\r\n|$)/);
  assert.match(told(ask('GET', '/toy/v1/counts/npm', { 'toy-key': 'bad' })), /^403 invalid_key/);
  assert.match(
    told(ask('GET', '/toy/v1/counts/npm', { 'toy-key': 'poor' })),
    /^403 forbidden_endpoint .*"counts"/,
  );
  assert.match(told(ask('GET', '/all', GOOD)), /^401 .*"code":"missing_key"/);
});

test('its requests count against the quota of the key, those with a body by item where the tier says so', async (t) => {
  const ask = await serve(t);
  assert.equal(told(ask('POST', '/toy/v1/echo?q', GOOD, 'ab')), '200 "q ab"');
  const last = ask('GET', '/toy/v1/counts/npm', GOOD);
  assert.match(last.head, /\r\nRateLimit: "all";r=0/);
  assert.match(told(ask('GET', '/toy/v1/counts/npm', GOOD)), /^429 rate_limited \(made-up\): /);
  assert.match(told(ask('GET', '/all', { pskey: 'good' })), /^429 .*"code":"rate_limited"/); // one quota for both
});

test('a body that is too long is told so in its own words', async (t) => {
  const ask = await serve(t);
  assert.equal(
    told(ask('POST', '/toy/v1/echo', GOOD, '123456789')),
    '413 body_too_large (made-up): Eight bytes at most.',
  );
});

test('its errors are told its way, also where no route answers, and the contract’s in theirs', async (t) => {
  const ask = await serve(t);
  const reply = ask('GET', '/toy/v1/nowhere', { 'x-request-id': 'mine' });
  assert.equal(told(reply), '404 not_found (mine): No endpoint has this path; see /openapi.json.');
  assert.match(reply.head, /^404 Not Found\r\nContent-Type: text\/plain\r\nCache-Control: no-store\r\n/);
});

test('another method gets 405 with Allow, and a preflight the headers of its key', async (t) => {
  const ask = await serve(t);
  for (const [path, allow] of [
    ['/toy/v1/counts/npm', 'GET, HEAD'],
    ['/old-toy/echo', 'POST'],
  ]) {
    const reply = ask('DELETE', path, GOOD);
    assert.equal(told(reply), `405 method_not_allowed (made-up): This path answers ${allow} only.`);
    assert.ok(reply.head.includes(`\r\nAllow: ${allow}\r\n`), reply.head);
    const preflight = ask('OPTIONS', path, { origin: ORIGIN, 'access-control-request-method': 'GET' });
    assert.equal(preflight.status, 204);
    assert.ok(preflight.head.includes(`\r\nAccess-Control-Allow-Methods: ${allow}\r\n`));
    assert.match(preflight.head, /\r\nAccess-Control-Allow-Headers: Toy-Key, Content-Type, /);
  }
});

test('its requests are counted under its own labels, and those for nobody as the rest', async (t) => {
  const ask = await serve(t);
  const labelOf = (path: string): string => ask('GET', path, GOOD).about.label;
  assert.deepEqual(['/toy/v1/counts/npm', '/all', '/toy/v1/echo', '/toy/v1/x'].map(labelOf), [
    'toy-counts',
    'all',
    'other',
    'other',
  ]);
  const labels = labelsOf(both);
  assert.deepEqual(labels.slice(labelsOf([patchstack]).length - 1), ['toy-counts', 'toy-echo', 'other']);
  assert.equal(new Set(labels).size, labels.length);
});

test('the document describes it beside the contract, which stays as it was', async (t) => {
  const alone = openApiDocument([patchstack]);
  const ask = await serve(t);
  const document: OpenApiDocument = JSON.parse(String(ask('GET', '/openapi.json').body));
  const { '/toy/v1/counts/{platform}': counts, '/toy/v1/echo': echo, ...contract } = document.paths;
  assert.deepEqual(contract, alone.paths);
  assert.deepEqual(document.servers, alone.servers);
  assert.deepEqual(
    [counts.get?.operationId, counts.get?.security, counts.servers?.map(({ url }) => url)],
    ['countToys', [{ ToyKey: [] }], ['/']],
  );
  assert.equal(echo.post?.operationId, 'echoToys');
  assert.equal(document.info.description, `${alone.info.description}\n\nAnd toys.`);
  assert.deepEqual(Object.keys(document.components.securitySchemes), ['PSKey', 'Bearer', 'ToyKey']);
  assert.equal(document.tags.at(-1)?.name, 'toys');
});

test('two routes for one method of one path, and two components of one name, are our own mistake', () => {
  const [counts, echo] = toy.routes;
  assert.throws(
    () => new RouteTable([{ ...toy, routes: [counts, { ...counts, pattern: '/counts/{id}' }] }]),
    {
      message: /toy \/counts\/\{id\}: GET, HEAD is answered already/,
    },
  );
  const schemas = { Page: { type: 'object' } };
  const second = { ...toy, openApi: { ...toy.openApi, components: { ...toy.openApi.components, schemas } } };
  assert.throws(() => openApiDocument([patchstack, second]), { message: /two components are called Page/ });
  const shared = { ...echo, pattern: '/counts/{id}' };
  const found = new RouteTable([{ ...toy, routes: [counts, shared] }]).find('PUT', '/old-toy/counts/1');
  assert.equal(found.kind === 'wrong-method' && found.allow, 'GET, HEAD, POST');
});
