// Errors as npm's clients see them, on every route: a sentence in `error`, and what the status promises.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { npmAudit } from '../../../src/dialects/npm-audit/npm-audit.ts';
import { NO_REGISTRY } from '../../../src/dialects/npm-audit/problems.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { keyRecord, outcomeOf, startServer, type TestServer } from '../../support/serving/server.ts';

const PATHS = npmAudit.mounts.flatMap(({ path }) =>
  npmAudit.routes.flatMap((route) => ('pattern' in route ? [path + route.pattern] : [])),
);

const server = await startServer(
  { after },
  {
    records: [feedRecord(1)],
    keys: [
      keyRecord('standard-key', 'standard'),
      keyRecord('limited-key', 'limited'),
      keyRecord('item-key', 'items'),
    ],
    tiers: {
      limited: { endpoints: ['npm-audit'], rate: { limit: 1, window_seconds: 3600 } },
      items: { endpoints: ['npm-audit'], rate: { limit: 100, window_seconds: 3600 }, batch_cost: 'item' },
    },
  },
);

async function outcome(
  from: TestServer,
  path: string,
  headers: Record<string, string>,
  method = 'POST',
  body = '{}',
): Promise<string> {
  const response = await from.request(path, { method, headers, body: method === 'POST' ? body : null });
  if (response.status >= 400) {
    const { error, code, request_id: id, ...rest } = response.json();
    assert.deepEqual(
      [typeof error, typeof code, typeof id, Object.keys(rest)],
      ['string', 'string', 'string', []],
    );
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }
  return outcomeOf(response);
}

test('the paths below are those of three routes at two mounts', () => {
  assert.equal(PATHS.length, 6);
});

test('a key is read in the forms that npm clients send, and refused with the challenge', async () => {
  const basic = (text: string): Record<string, string> => ({
    Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });
  for (const path of PATHS) {
    assert.equal(await outcome(server, path, { PSKey: '' }), '401 missing_key');
    assert.equal(await outcome(server, path, { Authorization: 'Bearer wrong' }), '401 invalid_key');
    assert.equal(await outcome(server, path, basic('me:wrong')), '401 invalid_key');
    for (const headers of [
      { Authorization: 'Bearer partner-key' },
      basic('me:partner-key'),
      { PSKey: 'partner-key' },
    ]) {
      assert.equal(await outcome(server, path, headers), '200', path);
    }
  }
  const response = await server.request(PATHS[0], { method: 'POST', headers: { PSKey: '' } });
  assert.equal(response.headers.get('www-authenticate'), 'Bearer');
});

test('tier, quota and method are told in the same shape', async () => {
  for (const path of PATHS) {
    assert.equal(await outcome(server, path, { PSKey: 'standard-key' }), '403 forbidden_endpoint');
    assert.equal(await outcome(server, path, {}, 'GET'), '405 method_not_allowed');
    assert.equal(await outcome(server, path, {}, 'PUT'), '405 method_not_allowed');
  }
  assert.equal(await outcome(server, PATHS[0], { PSKey: 'limited-key' }), '200');
  const refused = await server.request(PATHS[0], {
    method: 'POST',
    headers: { PSKey: 'limited-key' },
    body: '{}',
  });
  assert.equal(outcomeOf(refused), '429 rate_limited');
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
});

test('where a tier counts items, an audit costs a request for each name, but at most fifty', async () => {
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`n${i}`, ['1.0.0']])),
  );
  assert.equal(await outcome(server, PATHS[0], { PSKey: 'item-key' }, 'POST', body), '200');
  assert.equal(await outcome(server, PATHS[0], { PSKey: 'item-key' }, 'POST', body), '200');
  assert.equal(await outcome(server, PATHS[0], { PSKey: 'item-key' }), '429 rate_limited');
});

test('without data or while closing, audits are unavailable for now', async (t) => {
  const empty = await startServer(t);
  const closing = await startServer(t, { records: [feedRecord(1)], isClosing: () => true });
  for (const path of PATHS) {
    assert.equal(await outcome(empty, path, {}), '503 no_snapshot');
    assert.equal(await outcome(closing, path, {}), '503 draining');
  }
});

test('a fault of the server has the shape too', async (t) => {
  const broken = await startServer(t, { records: [feedRecord(1)], onInternalError: () => {} });
  const generation = broken.swap.current();
  assert.ok(generation !== undefined);
  t.mock.method(generation, 'findProductAscii', () => {
    throw new Error('broken');
  });
  assert.equal(await outcome(broken, PATHS[0], {}, 'POST', '{"a":["1.0.0"]}'), '500 internal_error');
});

test('below npm’s mount, an unknown path says that there is no registry, for npm to show', async () => {
  for (const path of ['/npm/lodash', '/npm/@scope%2fname', '/npm/', '/npm/all', '/npm/-/npm/v1/security']) {
    const response = await server.request(path);
    assert.equal(outcomeOf(response), '404 not_found', path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    const { detail, error } = response.json();
    assert.deepEqual([detail, error], [NO_REGISTRY, NO_REGISTRY]);
  }
  assert.equal((await server.request('/lodash')).json().error, undefined);
});
