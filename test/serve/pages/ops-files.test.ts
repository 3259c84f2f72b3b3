// The console over the operations listener: the same files and headers as on the service port, and nothing else.

import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { NO_PAGES } from '../../../src/dialects/page-routes.ts';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import { listenOps } from '../../../src/serve/ops/ops-server.ts';
import type { OpenPages } from '../../../src/serve/pages/open-pages.ts';

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

async function open(t: TestContext, pages: OpenPages | undefined): Promise<Ask> {
  const ops = await listenOps({
    host: '127.0.0.1',
    port: 0,
    readiness: () => ({ kind: 'ready' }),
    metrics: () => '',
    status: () => '{}',
    operations: { now: () => undefined, history: () => undefined },
    order: async () => undefined,
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
  const ask = await open(t, PAGES);
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
  const ask = await open(t, PAGES);
  const moved = await ask('/console?x');
  assert.deepEqual([moved.status, moved.headers.location, moved.body.length], [307, 'console/', 0]);
  for (const path of ['/console', '/console/']) {
    const refused = await ask(path, {}, 'POST');
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD'], path);
  }
  for (const path of [
    '/console/x',
    '/console/../status',
    '/console/%2e%2e/status',
    '/console//',
    '/consoles',
    '/docs/',
  ])
    assert.equal((await ask(path)).status, 404, path);
  assert.equal((await ask('/status')).status, 200);
});

test('where the console is off its paths are like any other; where it is not built they say so', async (t) => {
  const off = await open(t, undefined);
  assert.match((await off('/console/')).body.toString(), /There is no such path here/);
  const service = { ...NO_PAGES, absence: 'The console is not built.' };
  const unbuilt = await open(t, { service, operations: new Map(), isBuilt: false });
  for (const path of ['/console', '/console/', '/console/settings.json']) {
    const { status, body } = await unbuilt(path);
    assert.deepEqual([status, JSON.parse(body.toString()).detail], [404, 'The console is not built.'], path);
  }
});
