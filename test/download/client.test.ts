import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HttpClient, type HttpClientOptions, type HttpRequest } from '../../src/download/client.ts';
import type { FolderOwner } from '../support/folder.ts';
import { type Answer, startWebServer } from '../support/serving/web-server.ts';
import { until } from '../support/until.ts';

const KEY = 'a-very-secret-key';
const MAX_BYTES = 10_000;
const NOW_MS = Date.UTC(2026, 0, 10, 12, 0, 0);

interface Scene {
  readonly client: HttpClient;
  /** How long the client waited, in milliseconds. */
  readonly waits: readonly number[];
  readonly lines: readonly string[];
}

/** A client that does not really wait. */
function sceneOf(owner: FolderOwner, options: HttpClientOptions = {}): Scene {
  const waits: number[] = [];
  const lines: string[] = [];
  const client = new HttpClient({
    environment: {},
    secrets: [KEY],
    onWait: (line) => lines.push(line),
    nowMs: () => NOW_MS,
    wait: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  owner.after(() => {
    void client.close();
  });
  return { client, waits, lines };
}

/** Asks a server that answers as told; returns what came of it. */
async function ask(
  t: FolderOwner,
  answer: Answer,
  asked: HttpRequest = {},
  options: HttpClientOptions = {},
): Promise<
  Scene & {
    readonly text: string;
    readonly requests: number;
    readonly error: Error | undefined;
    readonly url: URL;
  }
> {
  const server = await startWebServer(t, answer);
  const scene = sceneOf(t, options);
  let text = '';
  let error: Error | undefined;
  try {
    const { body, status } = await scene.client.fetch(server.url, MAX_BYTES, asked);
    text = `${status} ${body}`;
  } catch (thrown) {
    assert.ok(thrown instanceof Error);
    error = thrown;
  }
  return { ...scene, text, error, requests: server.asked.length, url: server.url };
}

test('a request that fails is sent again until the server recovers', async (t) => {
  const statuses = [500, 502, 504];
  const { text, waits, lines, url } = await ask(t, (_, response, number) => {
    response.writeHead(statuses[number - 1] ?? 200).end(number <= 3 ? 'broken' : 'well');
  });
  assert.equal(text, '200 well');
  assert.equal(waits.length, 3);
  waits.forEach((ms, i) => {
    assert.ok(ms >= 750 * 2 ** i && ms <= 1000 * 2 ** i, `${ms}`);
  });
  assert.match(
    lines[0],
    new RegExp(`^GET ${url.href}: status 500 \\(no content type\\): broken; trying again in \\S+ s$`),
  );
});

test('a request that fails waits as long as the server asks, in seconds or until a date', async (t) => {
  const { text, waits } = await ask(t, (_, response, number) => {
    if (number === 1) response.writeHead(429, { 'retry-after': '3' }).end();
    else if (number === 2) response.writeHead(503, { 'retry-after': 'Sat, 10 Jan 2026 12:01:00 GMT' }).end();
    else if (number === 3) response.writeHead(429, { 'retry-after': 'soon' }).end();
    else response.end('well');
  });
  assert.equal(text, '200 well');
  assert.deepEqual(waits.slice(0, 2), [3000, 60_000]);
  assert.ok(waits[2] >= 3000 && waits[2] <= 4000, `${waits[2]}: a wait of our own`);
});

test('a request that fails does not wait for hours', async (t) => {
  const { error, waits } = await ask(t, (_, response) => {
    response.writeHead(429, { 'retry-after': '86400', 'content-type': 'text/plain' }).end('tomorrow');
  });
  assert.deepEqual(waits, []);
  assert.match(
    error?.message ?? '',
    /status 429 \(text\/plain\): tomorrow; the server asks to wait 86400 s; run the command again after that$/,
  );
});

test('a request that fails is given up after some attempts', async (t) => {
  const { error, requests, waits } = await ask(
    t,
    (_, response) => void response.writeHead(500).end(),
    {},
    { retries: { attempts: 3 } },
  );
  assert.equal(requests, 3);
  assert.equal(waits.length, 2);
  assert.match(error?.message ?? '', /status 500 .*an empty answer; this was attempt 3, try again later$/);
  assert.equal((error as { code?: string }).code, 'status');
});

test('a request that fails is not repeated if that would change nothing', async (t) => {
  for (const status of [400, 401, 403, 404, 422]) {
    const { error, requests } = await ask(t, (_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>No</h1> with ${KEY}`);
    });
    assert.equal(requests, 1);
    assert.ok(
      error?.message.includes(`status ${status} (text/html): <h1>No</h1> with [secret]`),
      error?.message,
    );
  }
});

test('a request is sent again when the connection breaks, before and inside the answer', async (t) => {
  const { text, waits } = await ask(t, (_, response, number) => {
    if (number === 1) response.destroy();
    else if (number === 2) {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    } else response.end('whole');
  });
  assert.equal(text, '200 whole');
  assert.equal(waits.length, 2);
});

test('a request that fails names a server that does not answer', async (t) => {
  const ends: (() => void)[] = [];
  const server = await startWebServer({ after: (end) => ends.push(end) }, () => {});
  for (const end of ends) end();
  const { client, waits } = sceneOf(t, { retries: { attempts: 2 } });
  await assert.rejects(client.fetch(server.url, MAX_BYTES), {
    code: 'unreachable',
    message:
      /^GET http:\/\/127.0.0.1:\d+\/: no answer \(.*ECONNREFUSED.*\); this was attempt 2, try again later$/,
  });
  assert.equal(waits.length, 1);
});

test('a request that fails ends when it is interrupted', async (t) => {
  const interruption = new AbortController();
  const server = await startWebServer(t, () => interruption.abort(new Error('stop'))); // and no answer
  const { client } = sceneOf(t, { signal: interruption.signal });
  await assert.rejects(client.fetch(server.url, MAX_BYTES), { message: 'stop' });
});

test('a request ends when all requests together have taken too long, however busy its server is', async (t) => {
  for (const options of [{}, { wait: undefined }]) {
    const answers: Answer = (_, response) => {
      if ('wait' in options) response.writeHead(503, { 'retry-after': '600' }).end();
      else response.write('1'); // and then nothing more
    };
    const { error } = await ask(t, answers, {}, { maxMs: 50, ...options } as HttpClientOptions);
    assert.match(
      error?.message ?? '',
      /127\.0\.0\.1:\d+\/: not complete after 0\.05 s; check the server, or raise /,
    );
    assert.equal((error as Error & { readonly code?: string }).code, 'too-slow');
  }
});

test('a limit of time may be longer than a timer of Node', async (t) => {
  const { text } = await ask(t, (_, response) => void response.end('well'), {}, { maxMs: 2 ** 40 });
  assert.equal(text, '200 well');
});

test('a request must have a URL of the web', async (t) => {
  const { client } = sceneOf(t);
  await assert.rejects(client.fetch(new URL('ftp://a.example/'), MAX_BYTES), { code: 'unusable' });
});

test('an answer may be 304 to a known tag', async (t) => {
  const headers = { 'if-none-match': '"a"' };
  const { text } = await ask(
    t,
    ({ headers: sent }, response) =>
      void response.writeHead(sent['if-none-match'] === '"a"' ? 304 : 200).end(),
    { headers },
  );
  assert.equal(text, '304 ');
});

test('an answer is inflated', async (t) => {
  const { text } = await ask(t, ({ headers }, response) => {
    assert.equal(headers['accept-encoding'], 'gzip');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
  });
  assert.equal(text, '200 packed');
});

test('an answer has a limit, as sent and as inflated', async (t) => {
  const large = await ask(t, (_, response) => void response.end(Buffer.alloc(MAX_BYTES + 1)));
  assert.match(large.error?.message ?? '', /the answer has more than 10000 bytes; check the URL/);
  const bomb = await ask(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(MAX_BYTES + 1)));
  });
  assert.match(bomb.error?.message ?? '', /the answer has more than 10000 bytes/);
  const exact = await ask(t, (_, response) => void response.end(Buffer.alloc(MAX_BYTES, 'x')));
  assert.equal(exact.text.length, MAX_BYTES + 4);
});

test('an answer that is damaged or encoded otherwise is refused', async (t) => {
  const damaged = await ask(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain');
  });
  assert.match(damaged.error?.message ?? '', /the gzip content is damaged/);
  const other = await ask(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'br' }).end('plain');
  });
  assert.match(other.error?.message ?? '', /encoded as br, which was not asked for/);
});

const WITH_KEY = { pskey: KEY };

test('a redirect within the server keeps the key', async (t) => {
  const { text, requests } = await ask(
    t,
    ({ url, headers: sent }, response) => {
      assert.equal(sent.pskey, KEY);
      if (url === '/') response.writeHead(302, { location: '/there' }).end('moved');
      else response.end(url);
    },
    { headers: WITH_KEY },
  );
  assert.equal(text, '200 /there');
  assert.equal(requests, 2);
});

test('a redirect to another server is refused, or goes there without the key', async (t) => {
  const other = await startWebServer(t, (_, response) => void response.end('other'));
  const answer: Answer = (_, response) => {
    response.writeHead(307, { location: other.url.href }).end();
  };
  const refused = await ask(t, answer, { headers: WITH_KEY });
  assert.match(refused.error?.message ?? '', /redirects to another server/);
  assert.equal(other.asked.length, 0);
  const followed = await ask(t, answer, {
    headers: WITH_KEY,
    openHeaders: { 'if-none-match': '"a"' },
    mayLeaveOrigin: true,
  });
  assert.equal(followed.text, '200 other');
  assert.equal(other.asked.length, 1);
  assert.equal(other.asked[0].headers.pskey, undefined);
  assert.equal(other.asked[0].headers['if-none-match'], '"a"');
  assert.ok(!JSON.stringify(other.asked).includes(KEY));
});

test('a redirect to another server and back does not bring the key along', async (t) => {
  const other = await startWebServer(t, (_, response) => {
    response.writeHead(302, { location: `${home.url.href}chosen` }).end();
  });
  const home = await startWebServer(t, ({ url }, response) => {
    if (url === '/chosen') response.end('chosen');
    else response.writeHead(302, { location: other.url.href }).end();
  });
  const { client } = sceneOf(t);
  const { body } = await client.fetch(home.url, MAX_BYTES, { headers: WITH_KEY, mayLeaveOrigin: true });
  assert.equal(String(body), 'chosen');
  assert.deepEqual(
    home.asked.map(({ url, headers }) => [url, headers.pskey]),
    [
      ['/', KEY],
      ['/chosen', undefined],
    ],
  );
});

test('a refusal shows no query, neither that of the URL nor that of a redirect, even where the answer repeats it', async (t) => {
  const server = await startWebServer(t, ({ url }, response) => {
    if (url.startsWith('/all.zip'))
      response.writeHead(302, { location: '/store?X-Amz-Signature=0123abcd' }).end();
    else response.writeHead(403).end(`denied: ${url}`);
  });
  const { client } = sceneOf(t);
  await assert.rejects(client.fetch(new URL('/all.zip?token=s3cret-token', server.url), MAX_BYTES), {
    message:
      /^GET http:\/\/127\.0\.0\.1:\d+\/store: status 403 \(no content type\): denied: \/store\?X-Amz-Signature=\[secret\]; /,
  });
});

test('redirects in a circle end', async (t) => {
  const { error, requests } = await ask(
    t,
    (_, response) => void response.writeHead(301, { location: '/' }).end(),
  );
  assert.match(error?.message ?? '', /more than 5 redirects/);
  assert.equal(requests, 6);
});

test('a body is posted, and again after a failure', async (t) => {
  const { text } = await ask(
    t,
    ({ method, body }, response, number) => {
      if (number === 1) response.writeHead(500).end();
      else response.end(`${method} ${body}`);
    },
    { method: 'POST', body: '[1]' },
  );
  assert.equal(text, '200 POST [1]');
});

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('an open answer is read piece by piece after its request; one that breaks off says so', async (t) => {
  const server = await startWebServer(t, ({ url }, response) => {
    response.writeHead(200, { 'content-length': 6 });
    response.write('abc');
    if (url === '/whole') response.end('def');
    else setImmediate(() => response.destroy());
  });
  const { client } = sceneOf(t);
  const { head, body } = await client.open(new URL('/whole', server.url), {});
  assert.equal(head.header('content-length'), '6');
  assert.equal(await textOf(body), 'abcdef');

  const broken = await client.open(new URL('/broken', server.url), {});
  await assert.rejects(textOf(broken.body), { code: 'unreachable' });
});

test('an open answer that nobody reads gives its connection up', async (t) => {
  let isClosed = false;
  const server = await startWebServer(t, (_, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(200, { 'content-length': 1e9 });
    response.write('abc');
  });
  const { client } = sceneOf(t);
  const { body } = await client.open(server.url, {});
  await body[Symbol.asyncIterator]().return?.();
  await until('the connection is closed', () => isClosed);
});

test('the signal of a request ends that request alone', async (t) => {
  const server = await startWebServer(t, ({ url }, response) => {
    if (url === '/answered') response.end('ok');
  });
  const { client } = sceneOf(t);
  const ending = new AbortController();
  const hanging = client.open(new URL('/hanging', server.url), { signal: ending.signal });
  await until('the request has arrived', () => server.asked.length === 1);
  ending.abort(new Error('no longer wanted'));
  await assert.rejects(hanging, /no longer wanted/);
  assert.equal((await client.fetch(new URL('/answered', server.url), 10)).body.toString(), 'ok');
});

test('an answer that is wanted is none to try again or to refuse', async (t) => {
  const server = await startWebServer(t, (_, response) => {
    response.writeHead(412).end('changed');
  });
  const { client } = sceneOf(t);
  const { head, body } = await client.open(server.url, { answers: [412] });
  assert.equal(head.status, 412);
  assert.equal(await textOf(body), 'changed');
  await assert.rejects(client.open(server.url), { code: 'status', status: 412 });
});

test('a streamed body is opened again for each attempt', async (t) => {
  const server = await startWebServer(t, (_, response, number) => {
    response.writeHead(number === 1 ? 503 : 200).end();
  });
  const { client } = sceneOf(t);
  await client.fetch(server.url, 10, {
    method: 'PUT',
    headers: { 'content-length': '3' },
    openBody: () => Readable.from([Buffer.from('abc')]),
  });
  assert.deepEqual(
    server.asked.map(({ method, body }) => `${method} ${body}`),
    ['PUT abc', 'PUT abc'],
  );
});

/** Every name is at 127.0.0.1, which counts as public here, but those that begin with `inner`. */
const ADDRESSES: HttpClientOptions['addresses'] = {
  lookup: (hostname, _, callback) => {
    const address = hostname.startsWith('inner') ? '127.0.0.2' : '127.0.0.1';
    const found: LookupAddress[] = [{ address, family: 4 }];
    callback(null, found);
  },
  isPrivate: (address) => address === '127.0.0.2',
};

test('a redirect to a private address is refused, by number and by name', async (t) => {
  for (const host of ['127.0.0.2', 'inner.example']) {
    const { error, requests } = await ask(
      t,
      (_, response) => void response.writeHead(302, { location: `http://${host}:1/x` }).end(),
      { mayLeaveOrigin: true },
      { addresses: ADDRESSES },
    );
    assert.match(error?.message ?? '', /a redirect to a private address is refused/, host);
    assert.equal((error as { code?: string }).code, 'redirect');
    assert.equal(requests, 1);
  }
});

test('a redirect to a public address is followed, and to a private one from a private one', async (t) => {
  const other = await startWebServer(t, (_, response) => void response.end('there'));
  const outside = await ask(
    t,
    (_, response) =>
      void response.writeHead(302, { location: `http://cdn.example:${other.url.port}/` }).end(),
    { mayLeaveOrigin: true },
    { addresses: ADDRESSES },
  );
  assert.equal(outside.text, '200 there');
  const inside = await ask(
    t,
    (_, response) => void response.writeHead(302, { location: other.url.href }).end(),
    { mayLeaveOrigin: true },
  );
  assert.equal(inside.text, '200 there');
});

test('of a refusal by another server nothing is shown', async (t) => {
  const other = await startWebServer(t, (_, response) => void response.writeHead(403).end('inside'));
  const { error } = await ask(
    t,
    (_, response) => void response.writeHead(302, { location: other.url.href }).end(),
    { mayLeaveOrigin: true },
  );
  assert.match(error?.message ?? '', /status 403 .*: an answer of another server, which is not shown/);
  assert.doesNotMatch(error?.message ?? '', /inside/);
});
