// What SECURITY.md says about messages that HTTP/1.1 forbids or leaves open, as bytes to send and what comes
// back. Each message is followed by a valid request, unless it tests where the parser sees the end: whether
// and how that request is answered shows where the parser placed the boundary.

/** What comes back: the statuses, in order, and whether the connection stays open. */
export type Outcome = `${string} open` | `${string} closed` | 'silent';

export interface WireCase {
  readonly sent: string;
  readonly got: Outcome;
  /**
   * What comes back through deploy/haproxy.cfg; absent where that waits for the server, which does not
   * answer.
   */
  readonly proxied?: Outcome;
}

/** Headers with a valid key. */
export const KEYED = 'Host: x\r\nPSKey: {key}\r\n';
const GOOD = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const CHUNKED = '2\r\n[]\r\n0\r\n\r\n';

function post(headers: string, body: string): string {
  return `POST /batch HTTP/1.1\r\n${KEYED}${headers}\r\n\r\n${body}${GOOD}`;
}

const chunks = (body: string): string => post('Transfer-Encoding: chunked', body);

const line = (first: string, headers = 'Host: x'): string => `${first}\r\n${headers}\r\n\r\n${GOOD}`;

const head = (headers: string): string => line('GET /healthz HTTP/1.1', headers);

/** `silent` means no answer, and a close after 10 to 12 s. */
function each(sent: readonly string[], got: Outcome, proxied?: Outcome): WireCase[] {
  return sent.map((text) => ({ sent: text, got, ...(proxied === undefined ? {} : { proxied }) }));
}

/** Keyed by the first cell of the table row. Each character stands for one byte. */
export const WIRE_CASES: Readonly<Record<string, readonly WireCase[]>> = {
  '`Content-Length` and `Transfer-Encoding` together, either first': each(
    [
      post('Content-Length: 2\r\nTransfer-Encoding: chunked', CHUNKED),
      post('Transfer-Encoding: chunked\r\nContent-Length: 2', CHUNKED),
    ],
    '400 closed',
    '411 closed',
  ),
  '`Content-Length` and an empty `Transfer-Encoding`': each(
    [post('Content-Length: 2\r\nTransfer-Encoding:', '[]')],
    '200,200 open',
    '400 closed',
  ),
  'any `Transfer-Encoding`, including `xchunked`, `gzip, chunked`, `chunked, identity`, or two of them': [
    ...each(
      [
        post('Transfer-Encoding: xchunked', CHUNKED),
        post('Transfer-Encoding: chunked, identity', CHUNKED),
        post('Transfer-Encoding: identity', CHUNKED),
        post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', CHUNKED),
      ],
      '200,200 open',
      '400 closed',
    ),
    ...each([post('Transfer-Encoding: gzip, chunked', CHUNKED)], '200,200 open', '422 closed'),
  ],
  'an empty `Transfer-Encoding` without `Content-Length`': each(
    [post('Transfer-Encoding:', GOOD)],
    '400,200,200 open',
    '400 closed',
  ),
  '`Content-Length` twice': each(
    [post('Content-Length: 2\r\nContent-Length: 5', '[]')],
    '200,200 open',
    '400 closed',
  ),
  '`Content-Length` negative, with a sign, hexadecimal, a list, followed by letters, beyond 18 digits': [
    ...each(
      ['-1', '+2', '0x2', '2a', 'abc', '0000000000000000002'].map((length) =>
        post(`Content-Length: ${length}`, '[]'),
      ),
      '400 closed',
      '400 closed',
    ),
    ...each([post('Content-Length: 2,2', '[]')], '400 closed', '200,200 open'),
  ],
  '`Content-Length` empty, or starting with a byte above 127': each(
    ['', '\u00b2'].map((length) => post(`Content-Length: ${length}`, '')),
    '400,200 open',
    '400 closed',
  ),
  '`Content-Length` with a byte above 127 after its digits': each(
    [post('Content-Length: 2\u00b2', '[]')],
    '200,200 open',
    '400 closed',
  ),
  'a chunk size that ends in a bare LF': each([chunks('2\n[]\r\n0\r\n\r\n')], '200,200 open', '411,200 open'),
  'two bytes other than CRLF after chunk data': each(
    [chunks('2\r\n[]XX0\r\n\r\n')],
    '200,200 open',
    '400 closed',
  ),
  'a space, a control character or NUL before a chunk size': each(
    [' ', '\t', '\u0000', '\u0001'].map((before) => chunks(`${before}2\r\nXX`)),
    '400,200 open',
    '400 closed',
  ),
  trailers: each(
    [
      `POST /batch HTTP/1.1\r\n${KEYED}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nXXGET: /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    '200,405 open',
    '411 open',
  ),
  'chunk extensions': each([chunks('2;a=b\r\n[]\r\n0\r\n\r\n')], 'silent', '411,200 open'),
  'a bare LF or CR, or NUL, in a head; a folded line; whitespace before a colon or a name; a line without a colon':
    [
      ...each([head('Host: x\nA: b'), head('Host: x\r\n folded: b')], 'silent', '200,200 open'),
      ...each([head('Host: x\rA: b'), head('Host : x'), head('Host: x\r\nnothing')], 'silent', '400 closed'),
      ...each([head('Host: x\r\nA: b\u0000c')], 'silent'),
    ],
  'a request line that ends in a bare LF': each(
    [`GET /healthz HTTP/1.1\nHost: x\r\n\r\n${GOOD}`],
    '505 closed',
    '200,200 open',
  ),
  'a field with an empty name': each([head('Host: x\r\n: y')], '200,200 open', '400 closed'),
  'bytes above 127 in values': each([head('Host: x\r\nA: \u00ff')], '200,200 open', '200,200 open'),
  'bytes above 127 at the end of a value': each(
    [line('GET /all HTTP/1.1', `${KEYED.trimEnd()}\u00ff`)],
    '200,200 open',
    '200,200 open',
  ),
  'bytes above 126 in a target': each(
    [
      line('GET /health\u00c3\u00a9 HTTP/1.1'),
      line('GET /healthz?\u00ff HTTP/1.1'),
      line('GET /healthz\u007f HTTP/1.1'),
    ],
    '400,200 open',
    '400 closed',
  ),
  'an absolute URI, `*`, a path without a leading slash': [
    ...each(
      ['GET http://x/healthz HTTP/1.1', 'OPTIONS * HTTP/1.1'].map((first) => line(first)),
      '505 closed',
      '505 closed',
    ),
    ...each([line('GET healthz HTTP/1.1')], '505 closed', '400 closed'),
  ],
  'two spaces, or a control character in the path': [
    ...each([line('GET  /healthz HTTP/1.1'), line('GET /healthz  HTTP/1.1')], '505 closed', '200,200 open'),
    ...each([line('GET /hea\u0001lthz HTTP/1.1')], '505 closed', '400 closed'),
  ],
  '`CONNECT` with a host': each([line('CONNECT x:443 HTTP/1.1')], '505 closed', '405,200 open'),
  '`CONNECT` with a path': each([line('CONNECT /all HTTP/1.1')], '405,200 open', '400 closed'),
  'HTTP/1.0, 1.2, 2.0, `http/1.1`': [
    ...each([line('GET /healthz HTTP/1.0')], '505 closed', '505 closed'),
    ...each(
      ['HTTP/1.2', 'HTTP/2.0'].map((version) => line(`GET /healthz ${version}`)),
      '505 closed',
      '200,200 open',
    ),
    ...each([line('GET /healthz http/1.1')], '505 closed', '400 closed'),
  ],
  'a method in lower case': each([line('get /healthz HTTP/1.1')], '200,200 open', '405,200 open'),
  'a method that is not a token, such as `G<T`, or no method': each(
    [line('G<T /healthz HTTP/1.1'), line(' /healthz HTTP/1.1')],
    '405,200 open',
    '400 closed',
  ),
  'no `Host`': each([head('A: b')], '400 closed', '400 closed'),
  'a head without fields': each([`GET /healthz HTTP/1.1\r\n\r\n${GOOD}`], 'silent'),
  'an empty `Host`, or two': [
    ...each([head('Host:')], '200,200 open', '200,200 open'),
    ...each([head('Host: x\r\nHost: y')], '200,200 open', '400 closed'),
  ],
  '`PSKey` or `Authorization` twice': [
    ...each(
      [
        `${KEYED}PSKey: bad`,
        `${KEYED}PSKey:`,
        'Host: x\r\nAuthorization: Bearer {key}\r\nAuthorization: Bearer bad',
        'Host: x\r\nAuthorization: Token token={key}\r\nAuthorization: Basic bad',
      ].map((headers) => line('GET /all HTTP/1.1', headers)),
      '200,200 open',
      '200,200 open',
    ),
    ...each(
      [
        `PSKey: bad\r\n${KEYED.trimEnd()}`,
        `PSKey:\r\n${KEYED.trimEnd()}`,
        'Host: x\r\nAuthorization: Bearer bad\r\nAuthorization: Bearer {key}',
        'Host: x\r\nAuthorization:\r\nAuthorization: Bearer {key}',
      ].map((headers) => line('GET /all HTTP/1.1', headers)),
      '401,200 open',
      '401,200 open',
    ),
  ],
  '`If-None-Match` twice': each(
    [line('GET /all HTTP/1.1', `${KEYED}If-None-Match: "x"\r\nIf-None-Match: *`)],
    '304,200 open',
    '304,200 open',
  ),
  'an empty line before the request': each([`\r\n${GOOD}`], 'silent', '200 open'),
  'a body with `GET`, or with a request that gets 401, 404 or 405': [
    ...each(
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]${GOOD}`],
      '200,200 open',
      '200,200 open',
    ),
    ...(['batch', 'nowhere', 'all'] as const).flatMap((path, i) =>
      each(
        [`POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]${GOOD}`],
        `${[401, 404, 405][i]},200 open`,
        `${[401, 404, 405][i]},200 open`,
      ),
    ),
  ],
  'requests pipelined after one with `Connection: close`': each(
    [head('Host: x\r\nConnection: close')],
    '200,200 open',
    '200 closed',
  ),
  '`Expect: 100-continue`': [
    ...each(
      [post('Expect: 100-continue\r\nContent-Length: 2', '[]')],
      '100,200,200 open',
      '100,200,200 open',
    ),
    ...each([post('Expect: pizza\r\nContent-Length: 2', '[]')], '200,200 open', '200,200 open'),
  ],
  '`Connection: close, keep-alive, upgrade`': each(
    [head('Host: x\r\nConnection: close, keep-alive, upgrade')],
    '200,200 open',
    '200 closed',
  ),
  '`Upgrade`': each(
    [head('Host: x\r\nConnection: upgrade\r\nUpgrade: websocket')],
    '200,200 open',
    '400 closed',
  ),
  'a head of more than 16 KiB, or of more than 98 fields': each(
    [head(`Host: x\r\nX: ${'y'.repeat(17_000)}`), head(`Host: x${'\r\nX: y'.repeat(98)}`)],
    '431 closed',
  ),
};

/** Requests exactly at the limits, which are accepted. */
export const WITHIN_LIMITS: readonly string[] = [
  head(`Host: x\r\nX: ${'y'.repeat(15_900)}`),
  head(`Host: x${'\r\nX: y'.repeat(97)}`),
  post('Content-Length: 000000000000000002', '[]'),
];
