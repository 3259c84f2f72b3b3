// Replies to requests that are read without Node's parser, against those by way of Node's http, and what
// happens to a connection between the two.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  NO_HEADERS,
  OwnHeaders,
  type ReplyHeader,
  SharedHeaders,
  type Status,
} from '../../../src/http/replies/reply-headers.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import { NodeTransport } from '../../../src/http/transport/node.ts';
import { ClosingFields } from '../../../src/http/transport/plain-request.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import { open, type Wire } from '../../support/serving/wire.ts';
import { until } from '../../support/until.ts';

const LARGE_BYTES = 16 << 20; // the kernel takes it only as the client reads
const TAG: ReplyHeader = ['ETag', '"a"'];

function reply(status: Status, body: string | Uint8Array, own: readonly ReplyHeader[] = []): Reply {
  return {
    about: { id: '', label: 'other', keyId: undefined },
    status,
    headers: new SharedHeaders(status === 404 ? NO_HEADERS : [TAG]),
    ownHeaders: new OwnHeaders(undefined, own),
    body,
  };
}

const REPLIES: Readonly<Record<string, Reply>> = {
  '/text': reply(200, '{"grüße":true}'),
  '/bytes': reply(200, Buffer.from('{}'), [['X-Request-Id', 'a']]),
  '/page': reply(200, new Uint8Array(new SharedArrayBuffer(300_007), 3, 300_001).fill(97)),
  '/empty': reply(200, ''),
  '/same': reply(304, ''),
  '/nothing': reply(204, ''),
  '/nowhere': reply(404, '{"status":404}'),
  '/long': reply(200, '{}', [['Vulndex-Notice', 'x'.repeat(2_000)]]),
  '/large': reply(200, Buffer.alloc(LARGE_BYTES, 'large')),
  '/endless': reply(200, '{}', [['Vulndex-Notice', 'x'.repeat(200_000)]]),
};

interface Served {
  readonly http: NodeTransport;
  readonly seen: readonly RequestView[];
  readonly errors: readonly unknown[];
}

async function serve(t: TestContext): Promise<Served> {
  const seen: RequestView[] = [];
  const errors: unknown[] = [];
  const http = new NodeTransport({
    service: {
      handle: (view) => {
        seen.push(view);
        return REPLIES[view.path];
      },
    },
    host: '127.0.0.1',
    port: 0,
    onError: (error) => errors.push(error),
  });
  await http.startListening();
  t.after(() => http.close());
  return { http, seen, errors };
}

/** A request that goes to the parser, which skips the empty line. */
function parsed(request: string): string {
  return `\r\n${request}`;
}

/** All that arrives on a connection of its own, without dates. */
async function untilClosed(t: TestContext, port: number, request: string): Promise<string> {
  const wire = open(t, port);
  wire.send(request);
  await wire.closed();
  return withoutDates(wire.receivedText);
}

function withoutDates(text: string): string {
  return text.replace(/Date: [^\r]+/g, 'Date: now');
}

/** All that arrives until the reply to `/nowhere`, which is sent behind it; dates left out. */
async function received(wire: Wire, request: string): Promise<string> {
  const before = wire.receivedBytes;
  const arrived = (): string => withoutDates(wire.receivedText.slice(before));
  wire.send(request);
  await until('a head', () => arrived().includes('\r\n\r\n'));
  wire.send('GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('all of it', () => arrived().endsWith('{"status":404}'));
  return arrived();
}

test('a reply has the bytes that Node’s http sends', async (t) => {
  const { http } = await serve(t);
  for (const path of Object.keys(REPLIES)) {
    if (['/large', '/endless', '/nowhere'].includes(path)) continue;
    for (const method of ['GET', 'HEAD']) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      const plain = await received(open(t, http.port), request);
      assert.equal(plain, await received(open(t, http.port), parsed(request)), request);
      const last = request.replace('Host', 'Connection: close\r\nHost');
      assert.equal(
        await untilClosed(t, http.port, last),
        await untilClosed(t, http.port, parsed(last)),
        last,
      );
    }
  }
});

test('a request has the same view as from the parser', async (t) => {
  const { http, seen } = await serve(t);
  const request =
    'GET /text?a=b HTTP/1.1\r\nhost: x\r\nAccept-Encoding: a\r\naccept-encoding: b\r\nX: \r\n\r\n';
  for (const each of [request, parsed(request)]) {
    const wire = open(t, http.port);
    wire.send(each);
    await wire.reply();
  }
  const facts = seen.map((view) => [
    view.method,
    view.path,
    view.query,
    view.address,
    view.header('accept-encoding'),
    view.list('accept-encoding'),
    view.header('x'),
    view.header('host'),
  ]);
  assert.deepEqual(facts[0], ['GET', '/text', 'a=b', '127.0.0.1', 'a, b', 'a, b', '', 'x']);
  assert.deepEqual(facts[1], facts[0]);
});

/** A request that waits for the reply to the one before, which does not fit, and is counted. */
async function askBehindLarge(t: TestContext, { http, seen }: Served): Promise<Wire> {
  const wire = open(t, http.port, { reads: false });
  wire.send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('it not to fit', () => http.pendingBytes > 0);
  const before = http.pendingBytes;
  wire.send('GET /bytes HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the next one to be counted', () => http.pendingBytes > before);
  assert.equal(seen.length, 1);
  return wire;
}

test('a request waits for the reply to the one before, and is counted until then', async (t) => {
  const served = await serve(t);
  const { http } = served;
  const wire = await askBehindLarge(t, served);
  wire.read();
  assert.equal((await wire.reply()).body.length, LARGE_BYTES);
  assert.equal((await wire.reply()).body, '{}');
  wire.send('GET /text HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal((await wire.reply()).body, '{"grüße":true}');
  await until('nothing to be counted', () => http.pendingBytes === 0);
});

test('what waits for a reply that nobody reads is no longer counted when the client is gone', async (t) => {
  const served = await serve(t);
  const { http } = served;
  const wire = await askBehindLarge(t, served);
  wire.socket.resetAndDestroy();
  await until('nothing to be counted', () => http.pendingBytes === 0);
});

test('a client that ends its side gets its reply', async (t) => {
  const { http } = await serve(t);
  const wire = open(t, http.port);
  wire.socket.end('GET /page HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.equal((await wire.reply()).body.length, 300_001);
  await wire.closed();
});

test('a connection goes to the parser with its first other request, and stays there', async (t) => {
  const { http, seen } = await serve(t);
  const wire = open(t, http.port);
  const get = 'GET /bytes HTTP/1.1\r\nHost: x\r\n\r\n';
  const post = 'POST /text HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
  for (const request of [get, get, post, get, post]) {
    wire.send(request);
    assert.equal((await wire.reply()).status, 200);
  }
  assert.deepEqual(
    seen.map(({ method }) => method),
    ['GET', 'GET', 'POST', 'GET', 'POST'],
  );
  wire.send('nonsense\r\n\r\n');
  assert.equal((await wire.reply()).status, 400);
  await wire.closed();
});

test('a head that has no room is an error, and closes the connection', async (t) => {
  const { http, errors } = await serve(t);
  const wire = open(t, http.port);
  wire.send('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await wire.closed();
  assert.equal(wire.receivedBytes, 0);
  assert.match(String(errors), /no room for a head of 200\d{3} characters/);
});

test('the date is of the second in which it is asked for', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 1, 3, 4, 5, 6, 900) });
  const closing = new ClosingFields(10_999);
  const text = (isLast: boolean): string => Buffer.from(closing.bytes(isLast)).toString();
  const date = (second: string): string => `\r\nDate: Tue, 03 Feb 2026 04:05:${second} GMT\r\nConnection: `;
  assert.equal(text(false), `${date('06')}keep-alive\r\nKeep-Alive: timeout=10\r\n\r\n`);
  assert.equal(text(true), `${date('06')}close\r\n\r\n`);
  t.mock.timers.setTime(Date.UTC(2026, 1, 3, 4, 5, 7));
  assert.ok(text(false).startsWith(date('07')));
  t.mock.timers.setTime(Date.UTC(2026, 1, 3, 4, 5, 5, 999)); // the clock was put back
  assert.ok(text(true).startsWith(date('05')));
});
