// Files of a dialect over each transport: bytes, types, entity tags, HEAD, and what is not a file.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { makeStaticFiles } from '../../../src/http/replies/static-files.ts';
import { ORIGIN, PICTURE, SHEET, serveToy, type ToyReply } from '../../support/serving/toy-dialect.ts';
import { TRANSPORTS } from '../../support/serving/transports.ts';
import { words } from '../../support/words.ts';

function headerOf({ head }: ToyReply, name: string): string | undefined {
  return new RegExp(`\r\n${name}: (.*?)(\r\n|$)`, 'i').exec(head)?.[1];
}

/** The head without its date, in an order of ours. */
function linesOf({ head }: ToyReply): readonly string[] {
  return head
    .replace(/\r\nDate: .*/, '')
    .split('\r\n')
    .sort();
}

for (const { kind, skip } of TRANSPORTS) {
  suite(`over ${kind}`, { skip }, () => {
    test('a file is served without a key, with its type and length, below every mount', async (t) => {
      const ask = await serveToy(t, kind);
      for (const path of words(`
        /toy/v1/page/parts/toy.js /old-toy/page/parts/toy.js /old-toy//page/parts/toy.js
      `)) {
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
      const paths = words(
        '/parts /parts/ /parts/toy.js/ /parts/../parts/toy.js /parts%2Ftoy.js /%2e%2e/echo',
      );
      for (const path of [...paths, '/../../../etc/passwd', '//parts/toy.js', '/constructor', '/PICTURE']) {
        const reply = await ask('GET', `/toy/v1/page${path}`);
        assert.match(`${reply.status} ${reply.body}`, /^404 not_found/, path);
      }
      assert.equal((await ask('POST', '/toy/v1/page/nothing')).status, 404);
    });

    test('a file is sent in the coding that the client prefers, each with a tag of its own', async (t) => {
      const ask = await serveToy(t, kind);
      const path = '/toy/v1/our/album/sheet-1A2B3C4D.css';
      const tags = new Set<string>();
      for (const [accepted, coding, decode] of [
        [undefined, undefined, (body: Buffer) => body],
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['br;q=0.5, gzip', 'gzip', gunzipSync],
        ['identity, *;q=0', undefined, (body: Buffer) => body],
        ['zstd;q=1, ,;;', undefined, (body: Buffer) => body],
      ] as const) {
        const sent = accepted === undefined ? {} : { 'accept-encoding': accepted };
        const reply = await ask('GET', path, sent);
        assert.deepEqual([reply.status, headerOf(reply, 'content-encoding')], [200, coding], accepted);
        assert.ok(decode(reply.body).equals(SHEET), accepted);
        assert.equal(headerOf(reply, 'content-length'), String(reply.body.length));
        assert.equal(headerOf(reply, 'vary'), 'Accept-Encoding');
        const etag = headerOf(reply, 'etag') ?? '';
        tags.add(etag);
        const head = await ask('HEAD', path, sent);
        assert.deepEqual(linesOf(head), linesOf(reply));
        const same = await ask('GET', path, { ...sent, 'if-none-match': etag });
        assert.deepEqual([same.status, headerOf(same, 'etag'), same.body.length], [304, etag, 0]);
        assert.deepEqual(
          [headerOf(same, 'vary'), headerOf(same, 'content-encoding')],
          ['Accept-Encoding', undefined],
        );
      }
      assert.equal(tags.size, 3);
      const [plainTag] = tags;
      const other = await ask('GET', path, { 'accept-encoding': 'br', 'if-none-match': plainTag });
      assert.equal(other.status, 200); // the client has other bytes
    });

    test('a file without a smaller form is sent as it is and does not vary; one with one form has two', async (t) => {
      const ask = await serveToy(t, kind);
      const page = await ask('GET', '/toy/v1/our/album/', { 'accept-encoding': 'br, gzip' });
      assert.deepEqual(
        [page.head.includes('Accept-Encoding'), headerOf(page, 'content-encoding'), page.body.toString()],
        [false, undefined, '<!doctype html><p>Album'],
      );
      const half = await ask('GET', '/toy/v1/our/album/half.txt', { 'accept-encoding': 'br, gzip;q=0.1' });
      assert.deepEqual(
        [headerOf(half, 'vary'), headerOf(half, 'content-encoding')],
        ['Accept-Encoding', 'gzip'],
      );
    });

    test('a file whose content never changes is kept forever, others are asked for again; each has the headers of its table', async (t) => {
      const ask = await serveToy(t, kind);
      for (const [path, caching, own] of [
        ['/toy/v1/our/album/sheet-1A2B3C4D.css', 'public, max-age=31536000, immutable', 'album'],
        ['/toy/v1/our/album/half.txt', 'no-cache', 'album'],
        ['/toy/v1/page', 'no-cache', undefined],
      ] as const) {
        const reply = await ask('GET', path);
        const etag = headerOf(reply, 'etag') ?? '';
        for (const each of [reply, await ask('GET', path, { 'if-none-match': etag })]) {
          assert.deepEqual([headerOf(each, 'cache-control'), headerOf(each, 'x-toys')], [caching, own], path);
          assert.equal(headerOf(each, 'x-content-type-options'), 'nosniff');
        }
      }
    });

    test('a folder without its slash is redirected to where its relative addresses are right', async (t) => {
      const ask = await serveToy(t, kind);
      for (const method of ['GET', 'HEAD']) {
        for (const path of ['/toy/v1/our/album', '/old-toy//our/album', '/toy/v1/our/album?dropped=1']) {
          const reply = await ask(method, path);
          assert.deepEqual(
            [reply.status, headerOf(reply, 'location'), reply.body.length, reply.label],
            [307, 'album/', 0, 'toy-album'],
            path,
          );
          const there = new URL('album/', `http://host/prefix${path}`).pathname.slice('/prefix'.length);
          assert.equal((await ask('GET', there)).status, 200, there);
        }
      }
    });

    test('another method is refused with the methods of a file, for a folder too', async (t) => {
      const ask = await serveToy(t, kind);
      for (const path of ['', '/', '/half.txt']) {
        const reply = await ask('POST', `/toy/v1/our/album${path}`, {}, 'body');
        assert.deepEqual([reply.status, headerOf(reply, 'allow')], [405, 'GET, HEAD'], path);
      }
    });

    test('what is not in the table is not found, in the words of its route', async (t) => {
      const ask = await serveToy(t, kind);
      for (const path of ['//', '/x', '/sheet-1A2B3C4D.css.br', '/../page', '/%2e%2e/page', '/__proto__']) {
        const reply = await ask('GET', `/toy/v1/our/album${path}`);
        assert.match(`${reply.status} ${reply.body}`, /^404 not_found .*: No such picture\./, path);
      }
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

test('a table can be posted to a thread, and its bytes are shared with it', () => {
  const table = makeStaticFiles([{ path: '/a', contentType: 'text/plain', bytes: new Uint8Array([1, 2]) }]);
  const posted = structuredClone(table);
  const [mine, theirs] = [table, posted].map((each) => each.get('/a')?.variants[0].bytes);
  assert.ok(mine !== undefined && theirs !== undefined && mine !== theirs);
  mine[0] = 7;
  assert.equal(theirs[0], 7);
});
