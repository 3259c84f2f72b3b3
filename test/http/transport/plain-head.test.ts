// Heads that are read without Node's parser, against what the parser makes of the same bytes.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { type PlainHead, PlainHeads } from '../../../src/http/transport/plain-head.ts';
import { MAX_FIELDS } from '../../../src/http/transport/transport.ts';
import { printedSeed } from '../../support/seed.ts';

const HEAD = 'GET /product/npm/a/1.0/exists?x=1 HTTP/1.1\r\nHost: x\r\nPSKey: abc\r\nAccept: a, b\r\n\r\n';

const NOBODY = { remoteAddress: undefined };

function read(text: string, heads = new PlainHeads(NOBODY)): PlainHead | undefined {
  return heads.read(Buffer.from(text, 'latin1'));
}

/** The method, the target, names and values in turn, and whether the connection is to be closed. */
function partsOf({ method, url, rawHeaders, isLast }: PlainHead): unknown {
  return [method, url, rawHeaders, isLast];
}

/**
 * What Node's parser makes of the bytes: the request, if they are exactly one that has no body and asks for
 * no other protocol.
 */
function parse(text: string): PlainHead | undefined {
  const server = createServer({ insecureHTTPParser: false });
  server.maxHeadersCount = 0;
  const requests: IncomingMessage[] = [];
  let isOther = false;
  let isLast = false;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request);
    isLast = !response.shouldKeepAlive;
  });
  for (const event of ['checkContinue', 'checkExpectation', 'clientError', 'upgrade', 'connect'])
    server.on(event, () => {
      isOther = true;
    });
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  server.emit('connection', socket);
  socket.emit('data', Buffer.from(text, 'latin1'));
  const [request] = requests;
  const isAlone = requests.length === 1 && request.complete;
  const hasBody = request?.headers['content-length'] !== undefined;
  socket.destroy();
  if (!isAlone || isOther || hasBody) return undefined;
  const { method, url, rawHeaders } = request;
  return { method, url, rawHeaders, isLast, socket: NOBODY };
}

/** What clients, proxies and attackers put into heads. */
const LINES = [
  'Host: y',
  'host:',
  'Connection: keep-alive',
  'Connection: Keep-Alive ',
  'Connection: close',
  'connection: keep-alive, upgrade',
  'Proxy-Connection: close',
  'Content-Length: 0',
  'content-length: 3',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding:',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'TE: trailers',
  'Keep-Alive: timeout=5',
  'X-Empty:',
  'X-Blanks: \t a b \t ',
  'If-None-Match: "a"',
  'If-None-Match: "b"',
  ' folded: a',
  'no colon',
  'name : a',
  ': a',
];
const BYTES = ['\r', '\n', '\r\n', ' ', '\t', ':', '\0', '#', '\x7f', '\xff', 'a', '/', '', '\r\n\r\n'];

function drawHead(dice: Dice): string {
  const lines = HEAD.split('\r\n').slice(1, -2);
  for (let more = dice.whole(0, 2); more > 0; more--)
    lines.splice(dice.whole(0, lines.length), 0, dice.pick(LINES));
  const method = dice.pick(['GET', 'GET', 'GET', 'HEAD', 'HEAD', 'POST', 'get', 'OPTIONS', 'CONNECT']);
  const target = dice.pick(['/', '/a', '/a?b=c', '//x', '/%00', '/a#b', '*', 'a', 'http://x/a', '']);
  const protocol = dice.chance(0.9)
    ? 'HTTP/1.1'
    : dice.pick(['HTTP/1.0', 'http/1.1', 'HTTP/2.0', 'HTTP/1.1 ']);
  const head = [`${method} ${target} ${protocol}`, ...lines, '', ''].join('\r\n');
  if (dice.chance(0.6)) return head;
  const at = dice.whole(0, head.length);
  return head.slice(0, at) + dice.pick(BYTES) + head.slice(at + dice.whole(0, 2));
}

test('what is read is what the parser reads, and nothing else is read', (t) => {
  const dice = new Dice(printedSeed(t));
  const heads = new PlainHeads(NOBODY); // a connection's, which keeps the fields of the request before
  let plain = 0;
  let parsed = 0;
  for (let i = 0; i < 5_000; i++) {
    const text = drawHead(dice);
    const head = read(text, heads);
    const request = parse(text);
    if (request !== undefined) parsed++;
    if (head === undefined) continue;
    plain++;
    assert.ok(request !== undefined, JSON.stringify(text));
    assert.deepEqual(partsOf(head), partsOf(request), JSON.stringify(text));
  }
  assert.ok(plain > 300 && parsed > plain, `${plain} read of ${parsed} that the parser takes`);
});

test('heads of usual clients are read', () => {
  const fields = [
    'Host: vulndex.example',
    'User-Agent: curl/8.5.0',
    'Accept: */*\r\nPSKey: k',
    'Connection: close\r\nAccept-Encoding: gzip, deflate, br\r\nIf-None-Match: "0123456789abcdef"',
  ];
  for (let count = 1; count <= fields.length; count++) {
    const text = `GET /all?per_page=100 HTTP/1.1\r\n${fields.slice(0, count).join('\r\n')}\r\n\r\n`;
    const head = read(text) ?? assert.fail(text);
    assert.deepEqual(partsOf(head), partsOf(parse(text) ?? assert.fail(text)));
  }
});

test('fields are not taken for those of the request before', () => {
  const heads = new PlainHeads(NOBODY);
  const [first, second] = [HEAD, HEAD.replace('PSKey: abc', 'PSKey: abd')];
  for (const text of [first, first, second, first, `HEAD${first.slice(3)}`, second])
    assert.deepEqual(partsOf(read(text, heads) ?? assert.fail()), partsOf(parse(text) ?? assert.fail()));
});

test('more than one packet or request, a body and too much of anything are the parser’s', () => {
  const withFields = (count: number): string =>
    HEAD.replace('\r\n\r\n', `\r\n${'a: b\r\n'.repeat(count)}\r\n`);
  for (const text of [
    '',
    'G',
    HEAD.slice(0, -1),
    HEAD + HEAD,
    `${HEAD}GET`,
    `\r\n${HEAD}`,
    HEAD.replace('\r\n', '\r\nContent-Length: 0\r\n'),
    withFields(MAX_FIELDS - 2),
    HEAD.replace('/product', `/${'a'.repeat(8 << 10)}`),
    HEAD.replace('Host: x\r\n', ''),
    'GET / HTTP/1.1\r\n\r\n',
  ])
    assert.equal(read(text), undefined, text.slice(0, 200));
  assert.notEqual(read(withFields(MAX_FIELDS - 3)), undefined);
});
