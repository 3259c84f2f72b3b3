// The operations and orders of the operations listener, over a socket. Its other paths are tested in ops-server.test.ts.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Order, OrderRefusal } from '../../../src/http/operations-view.ts';
import { listenOps } from '../../../src/serve/ops/ops-server.ts';

const FROM_CONSOLE = { 'Content-Type': 'application/json', 'X-Vulndex-Console': '1' };

interface Seen {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

async function scene(t: TestContext, refusal?: OrderRefusal) {
  const orders: Order[] = [];
  const ops = await listenOps({
    host: '127.0.0.1',
    port: 0,
    readiness: () => ({ kind: 'ready' }),
    metrics: () => '',
    status: () => '{}',
    operations: {
      now: () => Buffer.from('{"now":"then"}'),
      history: (since) => (since === 7 ? undefined : `{"since":${since}}`),
    },
    order: async (order) => {
      orders.push(order);
      return refusal;
    },
    onError: (error) => assert.fail(String(error)),
  });
  t.after(() => ops.close());
  /** Not `fetch`, which lets nobody set Host and Origin. */
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body = '',
  ): Promise<Seen> =>
    new Promise((resolve, reject) => {
      const sending = request(
        { port: ops.port, host: '127.0.0.1', method, path, headers: { ...headers }, agent: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => {
            const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: string };
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, code, body: text, retryAfter: headers['retry-after'] });
          });
        },
      );
      sending.on('error', reject);
      sending.end(body);
    });
  return { orders, send };
}

test('what the process does and its history answer without a key, and `since` is checked', async (t) => {
  const { send } = await scene(t);
  const now = await send('GET', '/operations');
  assert.deepEqual([now.status, now.body], [200, '{"now":"then"}']);
  assert.equal((await send('GET', '/operations/history')).body, '{"since":0}');
  assert.equal((await send('GET', '/operations/history?since=1767225600')).body, '{"since":1767225600}');
  for (const query of ['since=', 'since=x', 'since=-1', 'since=1.5', 'since=1&since=2', 'since=999999999999'])
    assert.deepEqual((await send('GET', `/operations/history?${query}`)).code, 'invalid_parameter', query);
  const early = await send('GET', '/operations/history?since=7');
  assert.deepEqual([early.status, early.code, early.retryAfter], [503, 'preparing', '1']);
});

test('an order from the console is carried out, and the answer says which', async (t) => {
  const { orders, send } = await scene(t);
  const reload = await send('POST', '/operations/reload', FROM_CONSOLE);
  assert.deepEqual([reload.status, reload.body], [202, '{"ordered":"reload"}']);
  await send('POST', '/operations/roll-back', FROM_CONSOLE, '{"file":"a.vdx"}');
  await send('POST', '/operations/roll-forward', FROM_CONSOLE, '{}');
  assert.deepEqual(orders, [
    { kind: 'reload' },
    { kind: 'roll-back', file: 'a.vdx' },
    { kind: 'roll-forward' },
  ]);
});

test('an order that a page of another site could send is refused before anything is done', async (t) => {
  const { orders, send } = await scene(t);
  for (const [headers, status, code] of [
    [{ ...FROM_CONSOLE, 'Content-Type': 'text/plain' }, 415, 'wrong_content_type'],
    [{ 'Content-Type': 'application/json' }, 403, 'console_header_missing'],
    [{ ...FROM_CONSOLE, Origin: 'https://evil.example' }, 403, 'foreign_origin'],
    [{ ...FROM_CONSOLE, Host: 'evil.example', Origin: 'http://evil.example' }, 403, 'foreign_host'],
  ] as const) {
    const seen = await send('POST', '/operations/reload', headers, '{}');
    assert.deepEqual([seen.status, seen.code], [status, code]);
  }
  const preflight = await send('OPTIONS', '/operations/reload', { Origin: 'https://evil.example' });
  assert.deepEqual([preflight.status, preflight.code], [405, 'method_not_allowed']);
  assert.deepEqual(orders, []);
});

test('a name that its owner made to point here reads nothing but the probes', async (t) => {
  const { send } = await scene(t);
  const rebound = { Host: 'evil.example:8081' };
  for (const path of ['/metrics', '/status', '/operations', '/operations/history', '/console/', '/nowhere']) {
    const seen = await send('GET', path, rebound);
    assert.deepEqual([seen.status, seen.code], [403, 'foreign_host'], path);
  }
  for (const path of ['/healthz', '/readyz'])
    assert.equal((await send('GET', path, rebound)).status, 200, path);
  for (const host of ['10.1.2.3:8081', '[fd00::1]:8081', 'localhost:8081'])
    assert.equal((await send('GET', '/metrics', { Host: host })).status, 200, host);
});

test('a body that is not an order is refused, and so are other methods', async (t) => {
  const { orders, send } = await scene(t);
  const back = '/operations/roll-back';
  for (const [body, status, code] of [
    ['{', 400, 'invalid_body'],
    ['[]', 422, 'invalid_parameter'],
    ['{"file":7}', 422, 'invalid_parameter'],
    [`{"file":"${'x'.repeat(5_000)}"}`, 413, 'body_too_large'],
  ] as const) {
    const seen = await send('POST', back, FROM_CONSOLE, body);
    assert.deepEqual([seen.status, seen.code], [status, code], body.slice(0, 20));
  }
  assert.equal((await send('GET', back)).code, 'method_not_allowed');
  assert.equal((await send('POST', '/operations', FROM_CONSOLE)).code, 'method_not_allowed');
  assert.deepEqual(orders, []);
});

test('an order that cannot be carried out says why', async (t) => {
  const { send } = await scene(t, { code: 'order_failed', detail: 'read-only' });
  const failed = await send('POST', '/operations/reload', FROM_CONSOLE);
  assert.deepEqual([failed.status, failed.code], [409, 'order_failed']);
  const { send: sendAgain } = await scene(t, { code: 'too_many_orders', detail: 'slowly' });
  const many = await sendAgain('POST', '/operations/reload', FROM_CONSOLE);
  assert.deepEqual([many.status, many.code, many.retryAfter], [429, 'too_many_orders', '1']);
});
