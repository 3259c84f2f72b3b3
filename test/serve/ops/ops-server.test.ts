import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Readiness } from '../../../src/http/readiness.ts';
import { listenOps, type OpsOptions, type OpsServer } from '../../../src/serve/ops/ops-server.ts';

const READY: Readiness = { kind: 'ready' };

async function open(
  t: TestContext,
  changes: Partial<OpsOptions> = {},
): Promise<OpsServer & { base: string }> {
  const ops = await listenOps({
    host: '127.0.0.1',
    port: 0,
    readiness: () => READY,
    metrics: async () => 'up 1\n',
    status: () => '{"version":"1.2.3"}\n',
    operations: {
      now: async () => Buffer.from('{"now":1}'),
      history: async (since) => `{"now":${since}}`,
      order: async () => undefined,
    },
    ...changes,
  });
  t.after(() => ops.close());
  return { ...ops, base: `http://127.0.0.1:${ops.port}` };
}

test('health, readiness, metrics and status answer without a key, each with its type', async (t) => {
  const { base } = await open(t);
  for (const [path, type, body] of [
    ['/healthz', 'application/json', '{"status":"ok"}'],
    ['/readyz', 'application/json', '{"status":"ready"}'],
    ['/metrics?name[]=up', 'text/plain; version=0.0.4; charset=utf-8', 'up 1\n'],
    ['/status', 'application/json', '{"version":"1.2.3"}\n'],
  ]) {
    const got = await fetch(base + path);
    assert.deepEqual([got.status, got.headers.get('content-type'), await got.text()], [200, type, body]);
    const head = await fetch(base + path, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.headers.get('content-length'), await head.text()],
      [200, String(body.length), ''],
    );
  }
});

test('readiness is evaluated for each request, and a process that is not ready says why and when to retry', async (t) => {
  let readiness: Readiness = { kind: 'unready', code: 'draining', detail: 'This process is shutting down.' };
  const { base } = await open(t, { readiness: () => readiness });
  const got = await fetch(`${base}/readyz`);
  assert.equal(got.status, 503);
  assert.equal(got.headers.get('retry-after'), '5');
  assert.equal(got.headers.get('content-type'), 'application/problem+json');
  assert.deepEqual(await got.json(), {
    type: 'urn:vulndex:problem:draining',
    title: 'Shutting down',
    status: 503,
    detail: 'This process is shutting down.',
    code: 'draining',
    request_id: got.headers.get('x-request-id'),
  });
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
  readiness = READY;
  assert.equal((await fetch(`${base}/readyz`)).status, 200);
});

test('another path is 404 and names the existing ones; another method is 405 with Allow', async (t) => {
  const { base } = await open(t);
  for (const path of ['/', '/metrics/', '/all', '/constructor', '/__proto__', '//metrics']) {
    const got = await fetch(base + path);
    const problem = (await got.json()) as { code: string; detail: string };
    assert.deepEqual([got.status, problem.code], [404, 'not_found'], path);
    assert.match(problem.detail, /\/healthz, \/readyz, \/metrics, \/status/);
  }
  const post = await fetch(`${base}/metrics`, { method: 'POST', body: 'x' });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get('allow'), 'GET, HEAD');
  assert.equal(((await post.json()) as { code: string }).code, 'method_not_allowed');
  assert.equal((await fetch(`${base}/nowhere`, { method: 'POST' })).status, 404);
});

test('an internal error is a bare 500 and is reported, and the next request is answered', async (t) => {
  const reported: unknown[] = [];
  const failure = new Error('the secret inside');
  const { base } = await open(t, {
    metrics: () => {
      throw failure;
    },
    status: () => {
      throw failure;
    },
    onError: (error) => reported.push(error),
  });
  for (const path of ['/metrics', '/status']) {
    const got = await fetch(base + path);
    const text = await got.text();
    assert.equal(got.status, 500);
    assert.equal((JSON.parse(text) as { code: string }).code, 'internal_error');
    assert.doesNotMatch(text, /secret/);
  }
  assert.deepEqual(reported, [failure, failure]);
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
});

test('a reply that cannot be sent is reported and its connection closed, and the next request is answered', async (t) => {
  const reported: unknown[] = [];
  const { base } = await open(t, {
    status: () => undefined as unknown as string, // what no type allows
    onError: (error) => reported.push(error),
  });
  await assert.rejects(fetch(`${base}/status`));
  assert.equal(reported.length, 1);
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
});

test('a port in use is an error that names it and says what to do', async (t) => {
  const { port } = await open(t);
  await assert.rejects(open(t, { port }), {
    name: 'ListenError',
    message: `cannot listen for operations on 127.0.0.1:${port}: the port is in use; choose another --ops-port or --ops-host`,
  });
});

test('an address that is not ours is an error that names it', async (t) => {
  await assert.rejects(open(t, { host: '192.0.2.1' }), {
    name: 'ListenError',
    message: /192\.0\.2\.1:0: the system refused \(EADDRNOTAVAIL\)/,
  });
});

test('close frees the port and does not wait for idle or stalled clients', async (t) => {
  const ops = await open(t);
  await (await fetch(`${ops.base}/healthz`)).text(); // leaves a connection behind for the next
  const stalled = connect(ops.port, '127.0.0.1');
  await new Promise((resolve) => stalled.once('connect', resolve));
  stalled.on('error', () => {}); // cut off, as it should be
  stalled.write('GET /healthz HTTP/1.1\r\nHost:');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closed = ops.close();
  t.mock.timers.tick(1_000);
  await closed;
  t.mock.timers.reset();
  await assert.rejects(fetch(`${ops.base}/healthz`));
  await open(t, { port: ops.port });
});
