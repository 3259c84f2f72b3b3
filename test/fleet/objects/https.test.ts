import assert from 'node:assert/strict';
import { test } from 'node:test';
import { end, wholeOf } from '../../../src/fleet/objects/body.ts';
import { HttpsSource } from '../../../src/fleet/objects/https.ts';
import { ObjectError, type ObjectReply } from '../../../src/fleet/objects/objects.ts';
import { startWebStore } from '../../support/fleet/web-store.ts';
import type { FolderOwner } from '../../support/folder.ts';
import { type Answer, AUTHORITY_FILE, startProxy, startWebServer } from '../../support/serving/web-server.ts';

const { signal } = new AbortController();
const BYTES = Buffer.from('0123456789');
const NOW = 'Sat, 10 Jan 2026 12:00:00 GMT';

function sourceOf(owner: FolderOwner, url: URL | string, options = {}): HttpsSource {
  const source = new HttpsSource(new URL(url), { environment: {}, ...options });
  owner.after(() => void source.close());
  return source;
}

async function shown(reply: ObjectReply | Promise<ObjectReply>): Promise<string> {
  const settled = await reply;
  if (settled.kind !== 'found') return settled.kind;
  const text = (await wholeOf(settled.body, 1000, 'it')).toString();
  return `${settled.etag} ${settled.bytes} from ${settled.from}: ${text}`;
}

async function answered(t: FolderOwner, answer: Answer): Promise<HttpsSource> {
  const { url } = await startWebServer(t, answer);
  return sourceOf(t, new URL('latest.json', url));
}

test('an object is whole, unchanged, absent, or the rest of what is there', async (t) => {
  const { url, objects } = await startWebStore(t);
  objects.set('latest.json', BYTES);
  const source = sourceOf(t, url);
  const reply = await source.get('latest.json', { signal });
  assert.equal(reply.kind, 'found');
  const etag = reply.etag ?? '';
  await end(reply.body);
  assert.ok(Math.abs((reply.storeTimeMs ?? 0) - Date.now()) < 3_600_000);
  assert.equal(await shown(source.get('latest.json', { signal })), `${etag} 10 from 0: 0123456789`);
  assert.equal(await shown(source.get('latest.json', { signal, etag })), 'unchanged');
  assert.equal(await shown(source.get('none', { signal })), 'absent');
  const rest = { signal, from: 4, rangeOf: etag };
  assert.equal(await shown(source.get('latest.json', rest)), `${etag} 10 from 4: 456789`);
  const other = await shown(source.get('latest.json', { ...rest, rangeOf: '"x"' }));
  assert.equal(other, `${etag} 10 from 0: 0123456789`);
});

test('a server that knows no ranges, or answers another, begins anew', async (t) => {
  const ranges: (string | undefined)[] = [];
  const source = await answered(t, ({ headers }, response) => {
    ranges.push(headers.range);
    const { range } = headers;
    if (range === undefined) response.writeHead(200, { etag: '"b"' }).end(BYTES);
    else if (range === 'bytes=9-') response.writeHead(416).end();
    else if (range === 'bytes=5-') {
      const wrong = { 'content-range': 'bytes 5-9/10', etag: '"b"' }; // of another object
      response.writeHead(206, wrong).end('56789');
    } else response.writeHead(206, { 'content-range': 'bytes 0-9/10' }).end(BYTES);
  });
  for (const from of [9, 5, 3]) {
    const text = await shown(source.get('x', { signal, from, rangeOf: '"a"' }));
    assert.match(text, / from 0: 0123456789$/);
  }
  assert.deepEqual(ranges, ['bytes=9-', undefined, 'bytes=5-', undefined, 'bytes=3-', undefined]);
  await shown(source.get('x', { signal, from: 3, rangeOf: 'W/"weak"' }));
  assert.equal(ranges.at(-1), undefined);
});

test('statuses that are no answer are errors, which may pass or not', async (t) => {
  for (const [status, canPass, pattern] of [
    [503, true, /status 503 .*: down/],
    [403, false, /status 403 .*: down/],
    [400, false, /status 400 .*: down/],
  ] as const) {
    const source = await answered(t, (_, response) => void response.writeHead(status).end('down'));
    await assert.rejects(source.get('latest.json', { signal }), (error: Error) => {
      assert.match(error.message, pattern);
      return error instanceof ObjectError && error.isPassing === canPass;
    });
  }
  const closed = sourceOf(t, 'http://127.0.0.1:1/latest.json');
  await assert.rejects(closed.get('latest.json', { signal }), { name: 'ObjectError', isPassing: true });
});

test('a tag that cannot be sent back is none', async (t) => {
  for (const etag of ['"caf\u00e9"', '"a b"', 'bare', '"a"b"', "W/'x'"]) {
    const source = await answered(t, (_, response) => void response.writeHead(200, { etag }).end('x'));
    assert.equal(await shown(source.get('latest.json', { signal })), 'undefined undefined from 0: x', etag);
  }
  const weak = await answered(t, (_, response) => void response.writeHead(200, { etag: 'W/"x"' }).end('x'));
  assert.match(await shown(weak.get('latest.json', { signal })), /^W\/"x" /);
});

test('a request that cannot be sent is an error that does not pass', async (t) => {
  const source = await answered(t, (_, response) => void response.end('x'));
  await assert.rejects(source.get('latest.json', { signal, etag: '"\u00e9\u4e00"' }), {
    name: 'ObjectError',
    isPassing: false,
    message: /it could not be sent/,
  });
});

test('a body that ends early is an error that may pass', async (t) => {
  const source = await answered(t, (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  });
  await assert.rejects(shown(source.get('latest.json', { signal })), {
    name: 'ObjectError',
    isPassing: true,
  });
});

test('a request ends with its signal', async (t) => {
  const source = await answered(t, () => {});
  const limit = new AbortController();
  const asked = source.get('latest.json', { signal: limit.signal });
  limit.abort(new ObjectError('too slow', true));
  await assert.rejects(asked, { message: 'too slow' });
});

test('a coding that was not asked for is refused, and a clock behind a cache not believed', async (t) => {
  const source = await answered(t, ({ url }, response) => {
    if (url === '/x') response.writeHead(200, { 'content-encoding': 'br' }).end('x');
    else response.writeHead(200, { date: NOW, age: '60' }).end('x');
  });
  await assert.rejects(source.get('x', { signal }), /encoded as br/);
  const reply = await source.get('y', { signal });
  assert.equal(reply.kind, 'found');
  assert.equal(reply.storeTimeMs, undefined);
  await end(reply.body);
});

test('user and password are sent to their own server alone, the query with every request', async (t) => {
  const cdn = await startWebServer(t, (_, response) => void response.end('moved'));
  const home = await startWebServer(t, ({ url }, response) => {
    if (url.startsWith('/a/snap')) response.writeHead(302, { location: `${cdn.url.href}x` }).end();
    else response.end('here');
  });
  const url = new URL(`http://me:hunter2@${home.url.host}/a/stable.json?sig=abcdefgh`);
  const source = sourceOf(t, url);
  assert.equal(source.shownAs, `${home.url.href}a/stable.json`);
  assert.match(await shown(source.get('latest.json', { signal })), /here$/);
  assert.match(await shown(source.get('snap/1.vdx', { signal })), /moved$/);
  const basic = `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
  assert.deepEqual(
    home.asked.map(({ url, headers }) => [url, headers.authorization]),
    [
      ['/a/stable.json?sig=abcdefgh', basic],
      ['/a/snap/1.vdx?sig=abcdefgh', basic],
    ],
  );
  assert.deepEqual(
    cdn.asked.map(({ url, headers }) => [url, headers.authorization]),
    [['/x', undefined]],
  );
  await assert.rejects(source.get('../b', { signal }), /it names \.\.\/b, which is not below its folder/);
  await assert.rejects(source.get('https://other.example/b', { signal }), /is not below its folder/);
});

test('TLS with a file of certificates, and through a proxy', async (t) => {
  const server = await startWebServer(t, (_, response) => void response.end('safe'), { tls: true });
  const manifest = new URL('latest.json', server.url);
  const untrusted = sourceOf(t, manifest);
  await assert.rejects(untrusted.get('latest.json', { signal }), /the certificate is not trusted/);
  const proxy = await startProxy(t);
  const source = sourceOf(t, manifest, { caFile: AUTHORITY_FILE, environment: { https_proxy: proxy.url } });
  assert.match(await shown(source.get('latest.json', { signal })), /safe$/);
  assert.deepEqual(proxy.lines, [`CONNECT ${server.url.host}`]);
});
