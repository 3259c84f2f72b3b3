// What all endpoints share, over a socket: the order of checks, keys, tiers, quotas, request ids, the headers
// of answers, and the answers while there is no data.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildKeyTable } from '../../src/access/key-table.ts';
import type { Tier } from '../../src/access/keys-file.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { patchstack } from '../../src/dialects/patchstack/patchstack.ts';
import { KeyRing } from '../../src/http/callers/auth.ts';
import { RateLimiter } from '../../src/http/callers/rate-limit.ts';
import type { BodyWanted } from '../../src/http/handled.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import { endpointsOf } from '../../src/http/routing/dialect.ts';
import { Service } from '../../src/http/service.ts';
import type { RequestView } from '../../src/http/transport/request-view.ts';
import type { Generation } from '../../src/index/generation.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import type { FolderOwner } from '../support/folder.ts';
import { replyOf } from '../support/serving/reply-of.ts';
import {
  keyRecord,
  outcomeOf,
  PARTNER_KEY,
  startServer,
  type TestResponse,
  type TestServer,
} from '../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../support/snapshots/generation.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const RECORDS = [feedRecord(1), feedRecord(2)];
/** One per endpoint, in the order of the contract's list. */
const CALLS: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
  all: ['/all'],
  latest: ['/latest'],
  changes: ['/changes?since=LIVE'], // the id of the live snapshot
  product: ['/product/plugin/gallery/1.0'],
  exists: ['/product/plugin/gallery/1.0/exists'],
  batch: ['/batch', { method: 'POST', body: '[]' }],
  vulnerability: ['/vulnerability/1'],
  explain: ['/explain/plugin/gallery/1.0'],
  products: ['/products?type=plugin'],
  statistics: ['/statistics'],
};
const OPEN_PATHS = ['/openapi.json', '/healthz', '/readyz'];

const TINY: Tier = {
  endpoints: ['product', 'exists', 'batch', 'vulnerability'],
  rate: { limit: 3, window_seconds: 30 },
};

const server = await startServer(
  { after },
  {
    records: RECORDS,
    nowMs: () => NOW_MS,
    keys: [
      keyRecord('standard-key', 'standard'),
      keyRecord('extended-key', 'extended'),
      keyRecord('disabled-key', 'partner', { disabled: true }),
      keyRecord('expired-key', 'partner', { expires_at: '2026-01-10T00:00:00Z' }),
    ],
  },
);

function ask(
  from: TestServer,
  [path, init = {}]: readonly [path: string, init?: RequestInit],
  headers: Record<string, string>,
): Promise<TestResponse> {
  return from.request(path.replace('LIVE', from.swap.current()?.id ?? ''), { ...init, headers });
}

async function outcomesWith(headers: Record<string, string>): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [endpoint, call] of Object.entries(CALLS)) {
    outcomes[endpoint] = outcomeOf(await ask(server, call, headers));
  }
  return outcomes;
}

function everywhere(outcome: string): Record<string, string> {
  return Object.fromEntries(Object.keys(CALLS).map((endpoint) => [endpoint, outcome]));
}

test('the requests below are one for each endpoint of the contract', () => {
  assert.deepEqual(Object.keys(CALLS), endpointsOf([patchstack]));
});

test('a request without a key gets 401 everywhere, and the challenge', async () => {
  assert.deepEqual(await outcomesWith({ PSKey: '' }), everywhere('401 missing_key'));
  const response = await server.request('/all', { headers: { PSKey: '' } });
  assert.equal(response.headers.get('www-authenticate'), 'Bearer');
  assert.equal(response.headers.get('cache-control'), 'no-store');
});

test('unknown, disabled and expired keys get the same 401, which does not reveal the reason', async () => {
  const texts = new Set<string>();
  for (const key of ['unknown-key', 'disabled-key', 'expired-key', `${PARTNER_KEY}x`, 'x'.repeat(600)]) {
    assert.deepEqual(await outcomesWith({ PSKey: key }), everywhere('401 invalid_key'), key);
    const response = await server.request('/all', { headers: { PSKey: key } });
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    texts.add(response.text);
  }
  assert.equal(texts.size, 1);
});

test('a key works until the instant it expires', async (t) => {
  let nowMs = NOW_MS;
  const short = await startServer(t, {
    records: RECORDS,
    nowMs: () => nowMs,
    keys: [keyRecord('short-key', 'partner', { expires_at: '2026-01-10T00:00:01Z' })],
  });
  const status = async (): Promise<number> =>
    (await short.request('/all', { headers: { PSKey: 'short-key' } })).status;
  assert.equal(await status(), 200);
  nowMs += 999;
  assert.equal(await status(), 200);
  nowMs += 1;
  assert.equal(await status(), 401);
});

test('a Bearer token works for clients that can send nothing else, and PSKey wins over it', async () => {
  const bearer = { Authorization: `Bearer ${PARTNER_KEY}` };
  assert.deepEqual(await outcomesWith(bearer), everywhere('200'));
  assert.equal(
    (await server.request('/all', { headers: { Authorization: `bearer ${PARTNER_KEY}` } })).status,
    200,
  );
  const both = await server.request('/all', { headers: { ...bearer, PSKey: 'unknown-key' } });
  assert.equal(outcomeOf(both), '401 invalid_key');
  const unknown = await server.request('/all', { headers: { Authorization: 'Bearer unknown-key' } });
  assert.equal(outcomeOf(unknown), '401 invalid_key');
  const basic = await server.request('/all', { headers: { Authorization: `Basic ${PARTNER_KEY}` } });
  assert.equal(outcomeOf(basic), '401 missing_key');
});

test('a key works in every form that other clients send, and PSKey wins over each of them', async () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const Authorization of [
    `Bearer cli-${PARTNER_KEY}`,
    `Token token=${PARTNER_KEY}`,
    `token token="${PARTNER_KEY}"`,
    basic(`user:${PARTNER_KEY}`),
    basic(`${PARTNER_KEY}:`),
  ]) {
    assert.equal((await server.request('/all', { headers: { Authorization } })).status, 200, Authorization);
    const both = await server.request('/all', { headers: { Authorization, PSKey: 'unknown-key' } });
    assert.equal(outcomeOf(both), '401 invalid_key', Authorization);
  }
  const Authorization = basic(`user:${'x'.repeat(8000)}`);
  assert.equal(outcomeOf(await server.request('/all', { headers: { Authorization } })), '401 invalid_key');
});

test('each shipped tier allows its own endpoints and gets 403 on the others', async () => {
  const closed = '403 forbidden_endpoint';
  assert.deepEqual(await outcomesWith({ PSKey: 'standard-key' }), {
    ...everywhere(closed),
    product: '200',
    exists: '200',
  });
  assert.deepEqual(await outcomesWith({ PSKey: 'extended-key' }), {
    ...everywhere('200'),
    all: closed,
    changes: closed,
    explain: closed,
    products: closed,
    statistics: closed,
  });
  assert.deepEqual(await outcomesWith({ PSKey: PARTNER_KEY }), everywhere('200'));
});

test('the document, health and readiness need no key', async () => {
  for (const path of OPEN_PATHS) {
    const response = await server.request(path, { headers: { PSKey: '' } });
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('ratelimit'), null);
  }
});

test('replaced keys take effect with the next request', async (t) => {
  const changing = await startServer(t, { records: RECORDS, keys: [keyRecord('old-key', 'partner')] });
  const status = async (key: string): Promise<number> =>
    (await changing.request('/all', { headers: { PSKey: key } })).status;
  assert.deepEqual([await status('old-key'), await status('new-key')], [200, 401]);
  changing.setKeys([keyRecord('new-key', 'partner')]);
  assert.deepEqual([await status('old-key'), await status('new-key')], [401, 200]);
});

/** A server with a key of three requests in 30 seconds, and a clock that the test moves. */
async function startTiny(
  t: FolderOwner,
): Promise<{ readonly tiny: TestServer; readonly clock: { nowMs: number } }> {
  const clock = { nowMs: NOW_MS };
  const tiny = await startServer(t, {
    records: RECORDS,
    nowMs: () => clock.nowMs,
    tiers: { tiny: TINY, 'tiny-burst': { ...TINY, rate: { limit: 3, window_seconds: 30, burst: 1 } } },
    keys: [keyRecord('tiny-key', 'tiny'), keyRecord('burst-key', 'tiny-burst')],
  });
  return { tiny, clock };
}

test('a limited key sees its quota in the headers, gets 429 when it is used up, and is admitted again after Retry-After', async (t) => {
  const { tiny, clock } = await startTiny(t);
  const take = (): Promise<TestResponse> => ask(tiny, CALLS.exists, { PSKey: 'tiny-key' });
  for (const expected of ['"tiny";r=2;t=10', '"tiny";r=1;t=20', '"tiny";r=0;t=30']) {
    const response = await take();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('ratelimit'), expected);
    assert.equal(response.headers.get('ratelimit-policy'), '"tiny";q=3;w=30');
    assert.equal(response.headers.get('retry-after'), null);
  }
  clock.nowMs += 9_500; // half a second left, rounded up in the header
  const refused = await take();
  assert.equal(outcomeOf(refused), '429 rate_limited');
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(refused.headers.get('ratelimit'), '"tiny";r=0;t=1');
  assert.equal(refused.headers.get('ratelimit-policy'), '"tiny";q=3;w=30');
  clock.nowMs += 1_000;
  assert.equal((await take()).status, 200);
});

test('a burst that differs from the limit is in the policy, and no more than that passes at once', async (t) => {
  const { tiny } = await startTiny(t);
  const first = await ask(tiny, CALLS.exists, { PSKey: 'burst-key' });
  assert.equal(first.headers.get('ratelimit-policy'), '"tiny-burst";q=3;w=30;vulndex-burst=1');
  const second = await ask(tiny, CALLS.exists, { PSKey: 'burst-key' });
  assert.equal(outcomeOf(second), '429 rate_limited');
  assert.equal(second.headers.get('retry-after'), '10');
});

test('a refusal says what is used up: the quota, or a smaller burst', async (t) => {
  const { tiny } = await startTiny(t);
  const detailOf = async (key: string, requests: number): Promise<string> => {
    for (let i = 0; i < requests; i++) await ask(tiny, CALLS.exists, { PSKey: key });
    return (await ask(tiny, CALLS.exists, { PSKey: key })).json().detail;
  };
  assert.equal(
    await detailOf('tiny-key', 3),
    'The quota of 3 requests per 30 s is used up; try again in 10 s.',
  );
  assert.equal(
    await detailOf('burst-key', 1),
    'The burst of 1 request is used up; of the quota of 3 requests per 30 s, one comes back every 10 s. Try again in 10 s.',
  );
});

test('Retry-After never ends before the t of RateLimit', async (t) => {
  const { tiny, clock } = await startTiny(t);
  for (const key of ['tiny-key', 'burst-key']) {
    for (let i = 0; i < 20; i++) {
      clock.nowMs += 1_700;
      const response = await ask(tiny, CALLS.exists, { PSKey: key });
      if (response.status === 200) continue;
      const reset = /;t=(\d+)$/.exec(response.headers.get('ratelimit') ?? '')?.[1];
      assert.equal(response.headers.get('retry-after'), reset);
    }
  }
});

test('a 401 names both headers that can carry a key', async () => {
  const { detail } = (await server.request('/all', { headers: { PSKey: '' } })).json();
  assert.match(detail, /\bPSKey: <key>/);
  assert.match(detail, /\bAuthorization: Bearer <key>/);
});

test('a batch costs one request per item if the tier says so, and a refused batch costs nothing', async (t) => {
  const clock = { nowMs: NOW_MS };
  const counting = await startServer(t, {
    records: RECORDS,
    nowMs: () => clock.nowMs,
    tiers: { items: { endpoints: ['batch'], rate: { limit: 100, window_seconds: 100 }, batch_cost: 'item' } },
    keys: [keyRecord('items-key', 'items')],
  });
  const item = { type: 'plugin', name: 'gallery', version: '1.0' };
  const send = async (body: string): Promise<string> => {
    const response = await counting.request('/batch', {
      method: 'POST',
      body,
      headers: { PSKey: 'items-key' },
    });
    const left = /;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1];
    return `${outcomeOf(response)}, ${left} left`;
  };
  const batchOf = (count: number): string => JSON.stringify(Array(count).fill(item));
  assert.equal(await send(batchOf(50)), '200, 50 left');
  assert.equal(await send(batchOf(30)), '200, 20 left');
  const refused = await counting.request('/batch', {
    method: 'POST',
    body: batchOf(50),
    headers: { PSKey: 'items-key' },
  });
  assert.equal(outcomeOf(refused), '429 rate_limited');
  assert.equal(refused.headers.get('retry-after'), '30');
  assert.equal(
    refused.json().detail,
    'This body costs 50 requests, one for each item, and fewer are left; try again in 30 s.',
  );
  assert.equal(await send(batchOf(20)), '200, 0 left');
  assert.match(await send('{'), /^429/, 'with nothing left, the body is not read');
  clock.nowMs += 10_000;
  for (const [body, outcome] of [
    ['[]', '200, 9 left'],
    ['{', '400 invalid_body, 8 left'],
    ['{}', '422 invalid_batch items, 7 left'],
    [' '.repeat(70_000), '413 body_too_large, 6 left'],
  ] as const) {
    assert.equal(await send(body), outcome);
  }
});

test('a batch that comes again costs as much as the first time', async (t) => {
  const counting = await startServer(t, {
    records: RECORDS,
    nowMs: () => NOW_MS,
    tiers: { items: { endpoints: ['batch'], rate: { limit: 100, window_seconds: 100 }, batch_cost: 'item' } },
    keys: [keyRecord('items-key', 'items')],
  });
  const body = JSON.stringify(Array(20).fill({ type: 'plugin', name: 'gallery', version: '1.0' }));
  const outcomes: string[] = [];
  for (let i = 0; i < 6; i++) {
    const headers = { PSKey: 'items-key' };
    const response = await counting.request('/batch', { method: 'POST', body, headers });
    const left = /;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1];
    outcomes.push(`${outcomeOf(response)}, ${left} left`);
  }
  const answered = ['200, 80 left', '200, 60 left', '200, 40 left', '200, 20 left', '200, 0 left'];
  assert.deepEqual(outcomes, [...answered, '429 rate_limited, 0 left']);
});

test('names in a query cost as much as in a body, all or nothing beyond the first', async (t) => {
  const rate = { limit: 100, window_seconds: 100 };
  const counting = await startServer(t, {
    records: RECORDS,
    nowMs: () => NOW_MS,
    tiers: { items: { endpoints: ['composer'], rate, batch_cost: 'item' } },
    keys: [keyRecord('items-key', 'items')],
  });
  const ask = async (count: number): Promise<string> => {
    const names = Array.from({ length: count }, (_, i) => `packages[]=acme/${i}`).join('&');
    const path = `/composer/api/security-advisories?${names}`;
    const response = await counting.request(path, { headers: { PSKey: 'items-key' } });
    return `${outcomeOf(response)}, ${/;r=(\d+);/.exec(response.headers.get('ratelimit') ?? '')?.[1]} left`;
  };
  assert.equal(await ask(30), '200, 70 left');
  assert.equal(await ask(200), '200, 20 left', 'at most 50');
  assert.equal(await ask(30), '429 rate_limited, 19 left');
  assert.equal(await ask(19), '200, 0 left');
  assert.equal(await ask(1), '429 rate_limited, 0 left');
});

test('a key without a limit gets no limit headers', async () => {
  const response = await server.request('/all');
  assert.equal(response.headers.get('ratelimit'), null);
  assert.equal(response.headers.get('ratelimit-policy'), null);
});

test('401, 403, 404, 405 and endpoints that need no key cost nothing', async (t) => {
  const { tiny } = await startTiny(t);
  const mine = { PSKey: 'tiny-key' };
  for (let i = 0; i < 5; i++) {
    assert.equal((await ask(tiny, CALLS.all, mine)).status, 403);
    assert.equal((await ask(tiny, ['/nowhere'], mine)).status, 404);
    assert.equal((await ask(tiny, ['/batch'], mine)).status, 405);
    assert.equal((await ask(tiny, CALLS.exists, { PSKey: '' })).status, 401);
    for (const path of OPEN_PATHS) assert.equal((await ask(tiny, [path], mine)).status, 200);
  }
  const first = await ask(tiny, CALLS.exists, mine);
  assert.equal(first.headers.get('ratelimit'), '"tiny";r=2;t=10');
});

test('every admitted request costs one: a batch of 50, a HEAD, a 304, a 422, an unknown record', async (t) => {
  const { tiny, clock } = await startTiny(t);
  const item = { type: 'plugin', name: 'gallery', version: '1.0' };
  const calls: Readonly<Record<string, readonly [string, RequestInit, Record<string, string>, number]>> = {
    batch: ['/batch', { method: 'POST', body: JSON.stringify(Array(50).fill(item)) }, {}, 200],
    'large batch': ['/batch', { method: 'POST', body: ' '.repeat(70_000) }, {}, 413],
    'broken batch': ['/batch', { method: 'POST', body: '{' }, {}, 400],
    head: ['/product/plugin/gallery/1.0', { method: 'HEAD' }, {}, 200],
    'not modified': ['/product/plugin/gallery/1.0', {}, { 'If-None-Match': '*' }, 304],
    invalid: ['/product/plugin/gallery/', {}, {}, 422],
    unknown: ['/vulnerability/99', {}, {}, 404],
  };
  for (const [what, [path, init, headers, status]] of Object.entries(calls)) {
    clock.nowMs += 3_600_000;
    const response = await ask(tiny, [path, init], { PSKey: 'tiny-key', ...headers });
    assert.equal(response.status, status, what);
    assert.equal(response.headers.get('ratelimit'), '"tiny";r=2;t=10', what);
  }
});

test('checks come in order: path, method, key, tier, quota, size, syntax, parameters, record', async (t) => {
  const { tiny, clock } = await startTiny(t);
  const mine = { PSKey: 'tiny-key' };
  const large = 'x'.repeat(70 * 1024);
  const outcome = async (path: string, init: RequestInit, headers: Record<string, string>): Promise<string> =>
    outcomeOf(await ask(tiny, [path, init], headers));
  const none = { PSKey: '' };
  assert.equal(await outcome('/nowhere', { method: 'DELETE' }, none), '404 not_found');
  assert.equal(await outcome('/all?page=0', { method: 'DELETE' }, none), '405 method_not_allowed');
  assert.equal(await outcome('/all?page=0', {}, none), '401 missing_key');
  assert.equal(await outcome('/batch?include=x', { method: 'POST', body: large }, none), '401 missing_key');
  for (let i = 0; i < 3; i++) assert.equal(await outcome('/vulnerability/1', {}, mine), '200');
  assert.equal(await outcome('/all?page=0', {}, mine), '403 forbidden_endpoint');
  assert.equal(await outcome('/batch?include=x', { method: 'POST', body: large }, mine), '429 rate_limited');
  clock.nowMs += 3_600_000;
  assert.equal(
    await outcome('/batch?include=x', { method: 'POST', body: large }, mine),
    '413 body_too_large',
  );
  assert.equal(await outcome('/batch?include=x', { method: 'POST', body: '[' }, mine), '400 invalid_body');
  assert.equal(
    await outcome('/batch?include=x', { method: 'POST', body: '[]' }, mine),
    '422 invalid_parameter include',
  );
  clock.nowMs += 3_600_000;
  assert.equal(await outcome('/vulnerability/%zz', {}, mine), '422 invalid_parameter id');
  assert.equal(await outcome('/vulnerability/99', {}, mine), '404 unknown_vulnerability');
});

test('a valid X-Request-Id is echoed on every kind of answer', async () => {
  const paths = ['/all', '/all?page=0', '/vulnerability/99', '/nowhere', ...OPEN_PATHS];
  for (const id of ['a', '5f0c9d7a-b3e1', 'trace:1.2_3', 'x'.repeat(128)]) {
    for (const path of paths) {
      const response = await server.request(path, { headers: { 'X-Request-Id': id } });
      assert.equal(response.headers.get('x-request-id'), id, path);
      if (response.status >= 400) assert.equal(response.json().request_id, id, path);
    }
    const current = await server.request('/all', { headers: { 'X-Request-Id': id, 'If-None-Match': '*' } });
    assert.equal(current.headers.get('x-request-id'), id);
    const batch = await server.request('/batch', {
      method: 'POST',
      body: '{',
      headers: { 'X-Request-Id': id },
    });
    assert.equal(batch.json().request_id, id);
  }
});

test('an invalid X-Request-Id is never echoed', async () => {
  for (const id of ['', 'a b', '<script>', 'a"b', 'a,b', 'x'.repeat(129), 'nün', '{}']) {
    const good = await server.request('/all', { headers: { 'X-Request-Id': id } });
    assert.equal(good.headers.get('x-request-id'), null, id);
    const bad = await server.request('/all?page=0', { headers: { 'X-Request-Id': id } });
    assert.equal(bad.headers.get('x-request-id'), 'made-up', id);
    assert.equal(bad.json().request_id, 'made-up', id);
  }
});

test('an answer may be cached but must be revalidated, and an error is not cached', async () => {
  for (const call of Object.values(CALLS)) {
    const response = await ask(server, call, { PSKey: PARTNER_KEY });
    assert.equal(response.headers.get('cache-control'), 'private, no-cache', call[0]);
    assert.equal(response.headers.get('content-type'), 'application/json');
  }
  for (const path of ['/nowhere', '/all?page=0', '/vulnerability/99']) {
    const response = await server.request(path);
    assert.equal(response.headers.get('cache-control'), 'no-store', path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  }
});

test('HEAD has the status and the headers of GET but no body, on every path with a GET', async () => {
  const paths = [
    '/all',
    '/all?page=9',
    '/all?page=0',
    '/latest',
    '/product/plugin/gallery/1.0',
    '/product/plugin/gallery/',
    '/product/plugin/gallery/1.0/exists',
    '/vulnerability/1',
    '/vulnerability/99',
    '/nowhere',
    ...OPEN_PATHS,
  ];
  for (const path of paths) {
    const headers = { 'Accept-Encoding': 'identity' }; // fetch would show the length of what it has decoded
    const got = await server.request(path, { headers });
    const head = await server.request(path, { method: 'HEAD', headers });
    assert.equal(head.status, got.status, path);
    assert.equal(head.text, '');
    const headersOf = ({ headers }: TestResponse): string[][] =>
      [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
    assert.deepEqual(headersOf(head), headersOf(got), path);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(got.text)), path);
  }
  const keyless = await server.request('/all', { method: 'HEAD', headers: { PSKey: '' } });
  assert.equal(keyless.status, 401);
});

test('without a snapshot, keyed endpoints get 503 after the key check, and health stays up', async (t) => {
  const empty = await startServer(t, {
    keys: [keyRecord('standard-key', 'standard')],
    readiness: () => ({ kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' }),
  });
  for (const call of Object.values(CALLS)) {
    const response = await ask(empty, call, { PSKey: PARTNER_KEY });
    assert.equal(outcomeOf(response), '503 no_snapshot', call[0]);
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(response.headers.get('etag'), null);
    assert.equal(outcomeOf(await ask(empty, call, { PSKey: '' })), '401 missing_key', call[0]);
  }
  const forbidden = await ask(empty, CALLS.all, { PSKey: 'standard-key' });
  assert.equal(outcomeOf(forbidden), '403 forbidden_endpoint');
  // No quota is counted while nothing can be answered.
  const unanswered = await ask(empty, CALLS.exists, { PSKey: 'standard-key' });
  assert.equal(outcomeOf(unanswered), '503 no_snapshot');
  assert.equal(unanswered.headers.get('ratelimit'), null);
  const ready = await empty.request('/readyz');
  assert.equal(outcomeOf(ready), '503 no_snapshot');
  assert.match(ready.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(outcomeOf(await empty.request('/nowhere')), '404 not_found');
  for (const path of ['/healthz', '/openapi.json'])
    assert.equal((await empty.request(path)).status, 200, path);
});

test('readiness says why the process is not ready, and health is not affected', async (t) => {
  for (const code of ['draining', 'snapshot_too_old'] as const) {
    const unready = await startServer(t, {
      records: RECORDS,
      readiness: () => ({ kind: 'unready', code, detail: 'Not now.' }),
    });
    const response = await unready.request('/readyz');
    assert.equal(outcomeOf(response), `503 ${code}`);
    assert.equal(response.json().detail, 'Not now.');
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal((await unready.request('/healthz')).status, 200);
  }
  const ready = await server.request('/readyz');
  assert.deepEqual(ready.json(), { status: 'ready' });
});

test('answers from data older than the limit have a Warning header, and no other replies do', async (t) => {
  const builtAtMs = server.swap.current()?.parts.builtAtMs ?? 0;
  let nowMs = builtAtMs + 60_000;
  const aging = await startServer(t, {
    records: RECORDS,
    keys: [keyRecord('standard-key', 'standard')],
    maxDataAgeMs: 60_000,
    nowMs: () => nowMs,
  });
  const warningOf = async (path: string, headers: Record<string, string> = {}): Promise<string | null> =>
    (await aging.request(path, { headers })).headers.get('warning');
  const lookup = '/product/plugin/gallery/1.0';
  const { headers } = await aging.request(lookup);
  assert.equal(headers.get('warning'), null, 'not yet');
  nowMs++;
  const etag = headers.get('etag') ?? '';
  const unchanged = await aging.request(lookup, { headers: { 'If-None-Match': etag } });
  assert.equal(unchanged.status, 304, 'the same data has the same tag');
  assert.equal(unchanged.headers.get('warning'), '110 - "Response is Stale"');
  for (const path of [lookup, `${lookup}/exists`, '/all', '/vulnerability/999999999', '/all?page=x']) {
    assert.equal(await warningOf(path), '110 - "Response is Stale"', path);
  }
  const limited = await aging.request(`${lookup}/exists`, { headers: { PSKey: 'standard-key' } });
  assert.equal(limited.headers.get('warning'), '110 - "Response is Stale"');
  assert.match(limited.headers.get('ratelimit') ?? '', /^"standard"/);
  for (const path of ['/healthz', '/openapi.json', '/nowhere'])
    assert.equal(await warningOf(path), null, path);
  assert.equal(await warningOf(lookup, { PSKey: 'nobody' }), null);
});

test('with data older than the limit the process is ready, and readiness has a warning', async (t) => {
  const stale = await startServer(t, {
    records: RECORDS,
    readiness: () => ({ kind: 'stale', detail: 'It is old.' }),
  });
  const response = await stale.request('/readyz');
  assert.deepEqual([response.status, response.json()], [200, { status: 'ready', warning: 'It is old.' }]);
});

test('an internal error is reported with the request’s id, and the client gets a 500 without details', () => {
  const reports: [message: string, requestId: string][] = [];
  const service = new Service({
    dialects: DIALECTS,
    generation: (): Generation => {
      throw new Error('the secret reason');
    },
    keys: () =>
      new KeyRing(
        buildKeyTable({
          tiers: { partner: { endpoints: ['all'], rate: null } },
          keys: [keyRecord('k', 'partner')],
        }),
      ),
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: () => NOW_MS,
    makeRequestId: () => 'made-up',
    onInternalError: (error, requestId) => reports.push([(error as Error).message, requestId]),
  });
  for (const [sent, used] of [
    ['', 'made-up'],
    ['mine-1', 'mine-1'],
  ]) {
    const headers: Record<string, string> = { pskey: 'k', 'x-request-id': sent };
    const reply = service.handle({
      method: 'GET',
      path: '/all',
      query: '',
      address: '127.0.0.1',
      header: (name) => headers[name] ?? '',
      list: () => '',
    });
    assert.ok('status' in reply);
    assert.equal(reply.status, 500);
    const body = JSON.parse(String(reply.body));
    assert.equal(body.code, 'internal_error');
    assert.equal(body.request_id, used);
    assert.ok(!String(reply.body).includes('secret'));
    assert.deepEqual(reports.pop(), ['the secret reason', used]);
  }
});

test('the facts for the log include the id generated for a refusal, and whose key was refused an endpoint', () => {
  const tiers = { standard: { endpoints: ['exists'], rate: null } } as const;
  const ring = new KeyRing(buildKeyTable({ tiers, keys: [keyRecord('k', 'standard')] }));
  let made = 0;
  const service = new Service({
    dialects: DIALECTS,
    generation: () => undefined,
    keys: () => ring,
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: () => NOW_MS,
    makeRequestId: () => `made-up-${++made}`,
    onInternalError: (error) => {
      throw error;
    },
  });
  for (const [path, key, status, keyId] of [
    ['/nowhere', '', 404, undefined],
    ['/all', '', 401, undefined],
    ['/all', 'unknown', 401, undefined],
    ['/all', 'k', 403, 'id-k'],
    ['/product/plugin/gallery/1.0/exists', 'k', 503, 'id-k'],
  ] as const) {
    const headers: Record<string, string> = { pskey: key };
    const header = (name: string): string => headers[name] ?? '';
    const reply = service.handle({
      method: 'GET',
      path,
      query: '',
      address: '127.0.0.1',
      header,
      list: header,
    });
    assert.ok('status' in reply);
    assert.equal(reply.status, status);
    assert.equal(reply.about.keyId, keyId, path);
    assert.equal(reply.about.id, `made-up-${made}`);
    assert.equal(JSON.parse(Buffer.from(reply.body as Uint8Array).toString()).request_id, reply.about.id);
  }
});

test('once the port is closed, a request on an open connection gets 503 and costs no quota', async (t) => {
  const server = await startServer(t, { records: [feedRecord(1)], isClosing: () => true });
  const response = await server.request('/all');
  assert.equal(outcomeOf(response), '503 draining');
  assert.equal(response.headers.get('retry-after'), '5');
  assert.equal((await server.request('/healthz')).status, 200);
});

/** A service whose live snapshot is what `live` says, and how it is asked for a batch. */
function batchService(live: () => Generation) {
  const tiers = { partner: { endpoints: ['batch', 'product'], rate: null } } as const;
  const ring = new KeyRing(buildKeyTable({ tiers, keys: [keyRecord('k', 'partner')] }));
  const service = new Service({
    dialects: DIALECTS,
    generation: live,
    keys: () => ring,
    limiter: new RateLimiter(),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'clock',
    nowMs: () => NOW_MS,
    makeRequestId: () => 'made-up',
    onInternalError: (error) => {
      throw error;
    },
  });
  const begin = (): BodyWanted => {
    const wanted = service.handle(requestOf('POST', '/batch'));
    assert.ok('work' in wanted);
    return wanted;
  };
  return { service, begin };
}

function requestOf(method: string, path: string): RequestView {
  const header = (name: string): string => (name === 'pskey' ? 'k' : '');
  return { method, path, query: '', address: '127.0.0.1', header, list: header };
}

const GALLERY = Buffer.from('[{"type":"plugin","name":"gallery","version":"1.0"}]');

function idsIn({ body }: Reply): number[] {
  return JSON.parse(Buffer.from(body as Uint8Array).toString())[0].vulnerabilities.map(
    ({ id }: { readonly id: number }) => id,
  );
}

test('each batch is answered from the snapshot that it began with, even if its body arrives after a swap', (t) => {
  const first = generationOf(t, [coreAdvisory(1)]);
  const second = generationOf(t, [coreAdvisory(2)]);
  let generation = first;
  const { service, begin } = batchService(() => generation);
  // Both snapshots have the same segments and ordinals, so an answer cached from the other one would be
  // found.
  const idsOf = (wanted: BodyWanted): number[] => idsIn(replyOf(wanted, GALLERY));
  assert.deepEqual(idsOf(begin()), [1]);
  const straddling = begin();
  generation = second;
  service.adopt(second);
  assert.deepEqual(idsOf(begin()), [2]);
  assert.deepEqual(idsOf(straddling), [1]);
  assert.deepEqual(idsOf(begin()), [2]);
  generation = first; // without a call of `adopt`
  assert.deepEqual(idsOf(begin()), [1]);
});

test('requests and a swap between the steps of a batch change neither its answer nor theirs', (t) => {
  const first = generationOf(t, [coreAdvisory(1)]);
  const second = generationOf(t, [coreAdvisory(2)]);
  let generation = first;
  const { service, begin } = batchService(() => generation);
  const steps = begin().work(GALLERY).steps();
  for (let result = steps.next(); ; result = steps.next()) {
    if (result.done === true) {
      assert.deepEqual(idsIn(result.value), [1]);
      break;
    }
    const between = service.handle(requestOf('GET', '/product/plugin/gallery/1.0'));
    assert.ok('status' in between && between.status === 200);
    service.shrink();
    generation = second;
    service.adopt(second);
  }
  assert.deepEqual(idsIn(replyOf(begin(), GALLERY)), [2]);
});

test('work that is refused for having waited gets a 429 in the form of its dialect, which says when to ask again', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const { begin } = batchService(() => generation);
  const { status, headers, ownHeaders, body } = begin().work(GALLERY).refuse();
  assert.equal(status, 429);
  assert.equal(
    new Headers([...headers.fields, ...ownHeaders.fields].map(([...field]) => field)).get('retry-after'),
    '5',
  );
  assert.equal(JSON.parse(String(body)).code, 'rate_limited');
});
