// The operations, the orders and the console of the operations listener, over a socket. Its other paths are
// tested in ops-server.test.ts.

import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { NO_PAGES } from '../../../src/dialects/page-routes.ts';
import type { Order, OrderRefusal } from '../../../src/http/operations-view.ts';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import { listenOps } from '../../../src/serve/ops/ops-server.ts';
import type { OpenPages } from '../../../src/serve/pages/open-pages.ts';
import { words } from '../../support/words.ts';

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
    metrics: async () => '',
    status: () => '{}',
    operations: {
      now: async () => Buffer.from('{"now":"then"}'),
      history: async (since) => (since === 7 ? undefined : `{"since":${since}}`),
      order: async (order) => {
        orders.push(order);
        return refusal;
      },
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

const SCRIPT = Buffer.from('export const a = 1;\n'.repeat(100));

const PAGES: OpenPages = {
  service: NO_PAGES,
  operations: makeStaticFiles(
    [
      { path: '/', contentType: 'text/html', bytes: Buffer.from('<!doctype html>') },
      {
        path: '/main-1A2B3C4D.js',
        contentType: 'text/javascript',
        bytes: SCRIPT,
        br: brotliCompressSync(SCRIPT),
        isForever: true,
      },
    ],
    [['Content-Security-Policy', "default-src 'none'"]],
  ),
  isBuilt: true,
};

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Ask = (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Got>;

async function openConsole(t: TestContext, pages: OpenPages | undefined): Promise<Ask> {
  const ops = await listenOps({
    host: '127.0.0.1',
    port: 0,
    readiness: () => ({ kind: 'ready' }),
    metrics: async () => '',
    status: () => '{}',
    operations: { now: async () => undefined, history: async () => undefined, order: async () => undefined },
    pages,
  });
  t.after(() => ops.close());
  return async (path, headers = {}, method = 'GET') => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Not fetch, which normalises paths and undoes codings.
      request({ host: '127.0.0.1', port: ops.port, path, headers, method }, resolve)
        .once('error', reject)
        .end();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
  };
}

test('files are served with their headers, in the coding that is accepted, and not again to who has them', async (t) => {
  const ask = await openConsole(t, PAGES);
  const page = await ask('/console/?query');
  assert.deepEqual([page.status, page.body.toString()], [200, '<!doctype html>']);
  assert.equal(page.headers['content-security-policy'], "default-src 'none'");
  const path = '/console/main-1A2B3C4D.js';
  const coded = await ask(path, { 'Accept-Encoding': 'gzip, br' });
  assert.equal(coded.headers['content-encoding'], 'br');
  assert.equal(coded.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.ok(brotliDecompressSync(coded.body).equals(SCRIPT));
  const plain = await ask(path);
  assert.ok(plain.body.equals(SCRIPT));
  const head = await ask(path, {}, 'HEAD');
  assert.deepEqual([head.headers['content-length'], head.body.length], [String(SCRIPT.length), 0]);
  const etag = plain.headers.etag ?? '';
  const same = await ask(path, { 'If-None-Match': etag });
  assert.deepEqual([same.status, same.headers.etag, same.body.length], [304, etag, 0]);
  assert.equal(same.headers['content-length'], undefined);
  assert.equal((await ask(path, { 'If-None-Match': etag, 'Accept-Encoding': 'br' })).status, 200);
});

test('the folder without its slash is redirected, other methods are refused, other paths are not found', async (t) => {
  const ask = await openConsole(t, PAGES);
  const moved = await ask('/console?x');
  assert.deepEqual([moved.status, moved.headers.location, moved.body.length], [307, 'console/', 0]);
  for (const path of ['/console', '/console/']) {
    const refused = await ask(path, {}, 'POST');
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD'], path);
  }
  for (const path of words(`
    /console/x /console/../status /console/%2e%2e/status /console// /consoles /docs/
  `))
    assert.equal((await ask(path)).status, 404, path);
  assert.equal((await ask('/status')).status, 200);
});

test('where the console is off its paths are like any other; where it is not built they say so', async (t) => {
  const off = await openConsole(t, undefined);
  assert.match((await off('/console/')).body.toString(), /There is no such path here/);
  const service = { ...NO_PAGES, absence: 'The console is not built.' };
  const unbuilt = await openConsole(t, { service, operations: new Map(), isBuilt: false });
  for (const path of ['/console', '/console/', '/console/settings.json']) {
    const { status, body } = await unbuilt(path);
    assert.deepEqual([status, JSON.parse(body.toString()).detail], [404, 'The console is not built.'], path);
  }
});
