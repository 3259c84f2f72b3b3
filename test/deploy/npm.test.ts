// The recipes in deploy/ that put the server and a registry behind one address: what goes where, whose
// secrets reach whom, and how large a body may be. Real proxies on loopback; skipped where they are not
// installed.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluck } from '../support/pluck.ts';
import { Haproxy, hasHaproxy } from '../support/process/haproxy.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';
import { words } from '../support/words.ts';
import { NPM_PROXIES, type NpmProxy, registryCertificate, startRecorder } from './npm-proxies.ts';

const BULK = '/-/npm/v1/security/advisories/bulk';
const MIB = 1 << 20;
const SERVER_KEY = 'vdx_the_key_of_the_proxy';
const TOKEN = 'Bearer npm_the_token_of_the_registry';

/** What a client sends, or someone who pretends to be the proxy. */
const SENT = {
  authorization: TOKEN,
  'npm-otp': '123456',
  cookie: 'session=abc',
  pskey: 'vdx_forged',
  forwarded: 'for=203.0.113.9',
  'x-forwarded-for': '203.0.113.9',
};

for (const proxy of NPM_PROXIES) {
  const needs = { skip: proxy.isInstalled() ? false : `${proxy.name} is not installed` };

  test(`${proxy.name} accepts its file for npm`, needs, (t) => {
    assert.equal(proxy.check(temporaryFolder(t)), undefined);
  });

  test(
    `${proxy.name} sends audits to the server and all else to the registry, each with its own secret`,
    needs,
    async (t) => {
      const scene = await startScene(t, proxy);
      if (scene === undefined) return t.skip('openssl is not installed');
      const { server, registry, running } = scene;
      server.seen.splice(0); // the first requests saw whether the proxy is up

      assert.deepEqual(await ask(running.port, 'POST', BULK, '{"reed":["1.0.0"]}'), [
        200,
        { from: 'server' },
      ]);
      assert.deepEqual(await ask(running.port, 'POST', '/-/npm/v1/security/audits/quick', '{}'), [
        200,
        { from: 'server' },
      ]);
      assert.deepEqual(pluck(server.seen, 'path'), [BULK, '/-/npm/v1/security/audits/quick']);
      for (const { headers } of server.seen) {
        assert.equal(headers.pskey, SERVER_KEY);
        assert.equal(headers['x-forwarded-for'], '127.0.0.1');
        for (const name of ['authorization', 'npm-otp', 'cookie', 'forwarded']) {
          assert.equal(headers[name], undefined, name);
        }
      }
      assert.equal(registry.seen.length, 0);

      const elsewhere = words('/reed /@north%2freed /@north/reed/-/reed-1.0.0.tgz /-/v1/search?text=reed');
      for (const path of elsewhere) {
        assert.deepEqual(await ask(running.port, 'GET', path), [200, { from: 'registry' }], path);
      }
      assert.deepEqual(await ask(running.port, 'PUT', '/reed', 'x'.repeat(11 * MIB)), [
        200,
        { from: 'registry' },
      ]);
      assert.deepEqual(
        registry.seen.map(({ path }) => path),
        [...elsewhere, '/reed'],
        'paths as they came, not decoded',
      );
      for (const { headers } of registry.seen) {
        assert.equal(headers.authorization, TOKEN);
        assert.equal(headers['npm-otp'], '123456');
        assert.equal(headers.host, 'registry.npmjs.org');
        for (const name of ['pskey', 'forwarded', 'x-forwarded-for'])
          assert.equal(headers[name], undefined, name);
      }
      const log = running.log();
      assert.match(log, /200/);
      assert.doesNotMatch(log, /reed|security|vdx_|npm_|123456|session|203\.0|127\.0\.0\.1.*bytes/);
    },
  );

  test(
    `${proxy.name} lets audits of up to 10 MiB through, and refuses larger ones in the words of npm`,
    needs,
    async (t) => {
      const scene = await startScene(t, proxy);
      if (scene === undefined) return t.skip('openssl is not installed');
      const { server, running } = scene;
      const body = Buffer.alloc(10 * MIB, ' ');
      assert.deepEqual(await ask(running.port, 'POST', BULK, body), [200, { from: 'server' }]);
      assert.equal(server.seen.at(-1)?.bytes, body.length);
      const [status, answer] = await ask(running.port, 'POST', BULK, body.length + 1);
      assert.equal(status, 413);
      assert.deepEqual(Object.keys(answer), ['error', 'code', 'request_id']);
      assert.equal(answer.code, 'body_too_large');
    },
  );

  test(`${proxy.name} finds audits by the path as it came`, needs, async (t) => {
    const scene = await startScene(t, proxy);
    if (scene === undefined) return t.skip('openssl is not installed');
    const { server, registry, running } = scene;
    server.seen.splice(0);
    assert.deepEqual(await ask(running.port, 'POST', `//${BULK}`, '{}'), [200, { from: 'server' }]);
    assert.deepEqual(pluck(server.seen, 'path'), [`//${BULK}`]);
    for (const path of words(`
      /product/plugin/x/..%2f..%2f..%2f-%2fnpm%2fv1%2fsecurity%2fx
      /product/plugin/x/../../../-/npm/v1/security/x /-%2fnpm%2fv1%2fsecurity%2fx /%2d/npm/v1/security/x
      /-//npm/v1/security/x /all?/-/npm/v1/security/x
    `)) {
      const [, { from }] = await ask(running.port, 'GET', path);
      assert.notEqual(from, 'server', path);
    }
    assert.equal(server.seen.length, 1, 'no other path reaches the server with the key of the proxy');
    registry.seen.splice(0);
    for (const path of ['/-/npm/v1/security/..%2f..%2f..%2f..%2freed', '/-/npm/v1/security/%2e%2e/x'])
      await ask(running.port, 'GET', path);
    assert.deepEqual(registry.seen, [], 'no audit reaches the registry');
  });

  test(`${proxy.name} passes on the server's own answer`, needs, async (t) => {
    const certificate = registryCertificate(t);
    if (certificate === undefined) return t.skip('openssl is not installed');
    const reed = { product: npmProduct('reed'), affected: [span(null, '1.5.0', 'exclusive', '1.5.0')] };
    const { address, port } = await startServer(t, { records: [feedRecord(1, reed)] });
    const registry = await startRecorder(t, 'registry', certificate);
    const plan = { server: port, registry: registry.port, certificate: certificate.file, key: PARTNER_KEY };
    const running = await proxy.start(t, plan);
    const init = {
      method: 'POST',
      headers: { 'content-encoding': 'gzip', authorization: TOKEN },
      body: gzipSync('{"reed":["1.0.0"]}'),
    };
    const through = await fetch(`http://127.0.0.1:${running.port}${BULK}`, init);
    const direct = await fetch(`${address}${BULK}`, {
      ...init,
      headers: { ...init.headers, PSKey: PARTNER_KEY, authorization: '' },
    });
    const text = await through.text();
    assert.equal(through.status, 200, text);
    assert.equal(text, await direct.text());
    assert.equal(through.headers.get('etag'), direct.headers.get('etag'));
    assert.equal(JSON.parse(text).reed[0].id, 1);
  });
}

async function startScene(t: TestContext, proxy: NpmProxy) {
  const certificate = registryCertificate(t);
  if (certificate === undefined) return undefined;
  const server = await startRecorder(t, 'server');
  const registry = await startRecorder(t, 'registry', certificate);
  const plan = {
    server: server.port,
    registry: registry.port,
    certificate: certificate.file,
    key: SERVER_KEY,
  };
  return { server, registry, running: await proxy.start(t, plan) };
}

/**
 * Not by fetch, which does not send every header. A number is the length of a body that is declared and not
 * sent.
 */
function ask(
  port: number,
  method: string,
  path: string,
  body: string | Buffer | number = '',
): Promise<[status: number, answer: Record<string, unknown>]> {
  return new Promise((resolve, reject) => {
    const headers = { ...SENT, 'content-length': typeof body === 'number' ? body : Buffer.byteLength(body) };
    // A connection of its own: one that is kept may be closed by the proxy just as it is used again.
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const request = httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        request.destroy();
        try {
          resolve([response.statusCode ?? 0, JSON.parse(text) as Record<string, unknown>]);
        } catch {
          reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
        }
      });
    });
    request.on('error', reject);
    if (typeof body === 'number') request.flushHeaders();
    else request.end(body);
  });
}

const needsHaproxy = { skip: hasHaproxy() ? false : 'haproxy is not installed' };

/** Every route with a body, at each of its default paths. */
const BODY_ROUTES = DIALECTS.flatMap(({ mounts, routes }) =>
  routes.flatMap((route) =>
    route.kind === 'body'
      ? mounts.map(({ path }) => ({ path: path + route.pattern, maxBytes: route.maxBodyBytes }))
      : [],
  ),
);

test(
  'HAProxy in front of replicas lets through what each route takes, and no larger body elsewhere',
  needsHaproxy,
  async (t) => {
    const replica = await startRecorder(t, 'server');
    const { port } = await Haproxy.start(t, [replica.port, replica.port]);
    assert.ok(BODY_ROUTES.length > 8);
    for (const { path, maxBytes } of BODY_ROUTES) {
      assert.deepEqual(
        await ask(port, 'POST', path, Buffer.alloc(maxBytes, ' ')),
        [200, { from: 'server' }],
        path,
      );
      assert.equal((await ask(port, 'POST', path, 10 * MIB + 1))[0], 413, path);
    }
    for (const path of [
      '/database/api/batch',
      '/npm/x',
      `/elsewhere${BULK}`,
      '/osv/v1/query/x',
      '/osv/v1/vulns/x',
    ]) {
      assert.equal((await ask(port, 'POST', path, 65_537))[1].code, 'body_too_large', path);
    }
    const own = { error: 'The body is larger than 10485760 bytes.', code: 'body_too_large' };
    for (const path of [BULK, `//${BULK}`, `//npm/${BULK}`, `/npm${BULK}`]) {
      const { request_id, ...answer } = (await ask(port, 'POST', path, 10 * MIB + 1))[1];
      assert.deepEqual(answer, own);
      assert.match(String(request_id), /^[\w-]{36}$/);
    }
    for (const path of ['/osv/v1/querybatch', '//osv//v1/querybatch']) {
      assert.deepEqual(await ask(port, 'POST', path, 4 * MIB + 1), [
        413,
        { code: 3, message: 'The body is larger than 4194304 bytes.' },
      ]);
    }
  },
);

test(
  "HAProxy in front of replicas says the caller's address, whatever the caller says, and passes keys on",
  needsHaproxy,
  async (t) => {
    const replica = await startRecorder(t, 'server');
    const { port } = await Haproxy.start(t, [replica.port, replica.port]);
    await ask(port, 'GET', '/latest');
    const headers = replica.seen.at(-1)?.headers ?? assert.fail('nothing arrived');
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(headers.forwarded, undefined);
    assert.equal(headers.authorization, TOKEN);
    assert.equal(headers.pskey, SENT.pskey);
  },
);
