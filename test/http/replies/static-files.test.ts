// Files of a dialect over each transport: bytes, types, entity tags, HEAD, and what is not a file.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import { ORIGIN, PICTURE, serveToy, type ToyReply } from '../../support/toy-dialect.ts';
import { TRANSPORTS } from '../../support/transports.ts';

function headerOf({ head }: ToyReply, name: string): string | undefined {
  return new RegExp(`\r\n${name}: (.*?)(\r\n|$)`, 'i').exec(head)?.[1];
}

for (const { kind, skip } of TRANSPORTS) {
  suite(`over ${kind}`, { skip }, () => {
    test('a file is served without a key, with its type and length, below every mount', async (t) => {
      const ask = await serveToy(t, kind);
      for (const path of [
        '/toy/v1/page/parts/toy.js',
        '/old-toy/page/parts/toy.js',
        '/old-toy//page/parts/toy.js',
      ]) {
        const reply = await ask('GET', path, { 'x-request-id': 'mine' });
        assert.equal(reply.status, 200, path);
        assert.equal(reply.body.toString(), 'export const toys = 2;\n');
        assert.equal(headerOf(reply, 'content-type'), 'text/javascript');
        assert.equal(headerOf(reply, 'content-length'), '23');
        assert.equal(headerOf(reply, 'cache-control'), 'no-cache');
        assert.equal(headerOf(reply, 'x-content-type-options'), 'nosniff');
        assert.equal(headerOf(reply, 'x-request-id'), 'mine');
      }
    });

    test('the path of the route, with or without a trailing slash, is the file called /', async (t) => {
      const ask = await serveToy(t, kind);
      for (const path of ['/toy/v1/page', '/toy/v1/page/', '/toy/v1/page/?query']) {
        const reply = await ask('GET', path);
        assert.equal(reply.body.toString(), '<!doctype html><p>Toys…', path);
        assert.equal(headerOf(reply, 'content-type'), 'text/html; charset=utf-8');
      }
    });

    test('a file larger than the send buffer and an empty one arrive whole', async (t) => {
      const ask = await serveToy(t, kind);
      assert.ok((await ask('GET', '/toy/v1/page/picture')).body.equals(PICTURE));
      const empty = await ask('GET', '/toy/v1/page/empty.txt');
      assert.deepEqual([empty.status, headerOf(empty, 'content-length'), empty.body.length], [200, '0', 0]);
    });

    test('HEAD has the headers of GET and no body', async (t) => {
      const ask = await serveToy(t, kind);
      const path = '/toy/v1/page/picture';
      const [got, head] = [await ask('GET', path), await ask('HEAD', path)];
      assert.equal(head.status, 200);
      const linesOf = (reply: ToyReply): string[] =>
        reply.head
          .replace(/\r\nDate: .*/, '')
          .split('\r\n')
          .sort();
      assert.deepEqual(linesOf(head), linesOf(got));
      assert.equal(headerOf(head, 'content-length'), String(PICTURE.length));
      assert.equal(head.body.length, 0);
    });

    test('a file that the client has is not sent again', async (t) => {
      const ask = await serveToy(t, kind);
      const path = '/toy/v1/page/parts/toy.js';
      const etag = headerOf(await ask('GET', path), 'etag') ?? '';
      assert.match(etag, /^"[0-9a-f]{16}"$/);
      for (const method of ['GET', 'HEAD']) {
        for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const reply = await ask(method, path, { 'if-none-match': sent });
          assert.deepEqual([reply.status, reply.body.length], [304, 0], sent);
          assert.equal(headerOf(reply, 'etag'), etag);
          assert.equal(headerOf(reply, 'cache-control'), 'no-cache');
        }
      }
      const other = headerOf(await ask('GET', '/toy/v1/page'), 'etag') ?? '';
      assert.equal((await ask('GET', path, { 'if-none-match': other })).status, 200);
    });

    test('what is not in the table is not found, however its path is spelled', async (t) => {
      const ask = await serveToy(t, kind);
      const paths = [
        '/parts',
        '/parts/',
        '/parts/toy.js/',
        '/parts/../parts/toy.js',
        '/parts%2Ftoy.js',
        '/%2e%2e/echo',
      ];
      for (const path of [...paths, '/../../../etc/passwd', '//parts/toy.js', '/constructor', '/PICTURE']) {
        const reply = await ask('GET', `/toy/v1/page${path}`);
        assert.match(`${reply.status} ${reply.body}`, /^404 not_found/, path);
      }
      assert.equal((await ask('POST', '/toy/v1/page/nothing')).status, 404);
    });

    test('a page of an allowed origin may read a file', async (t) => {
      const ask = await serveToy(t, kind);
      const reply = await ask('GET', '/toy/v1/page', { origin: ORIGIN });
      assert.equal(headerOf(reply, 'access-control-allow-origin'), ORIGIN);
    });
  });
}

test('a table refuses a path without a leading slash, and a path given twice', () => {
  const file = { path: '/a', contentType: 'text/plain', bytes: new Uint8Array(1) };
  assert.throws(() => makeStaticFiles([{ ...file, path: 'a' }]), /must begin with a slash, got "a"/);
  assert.throws(() => makeStaticFiles([file, file]), /two static files have the path \/a/);
});

test('the table keeps its bytes when the caller changes them, and equal bytes have equal tags', () => {
  const bytes = new Uint8Array([1, 2]);
  const table = makeStaticFiles([
    { path: '/a', contentType: 'text/plain', bytes },
    { path: '/b', contentType: 'text/plain', bytes: new Uint8Array([1, 2]) },
  ]);
  bytes[0] = 9;
  assert.deepEqual([...(table.get('/a')?.variants[0].bytes ?? [])], [1, 2]);
  assert.equal(table.get('/a')?.variants[0].etag, table.get('/b')?.variants[0].etag);
});
