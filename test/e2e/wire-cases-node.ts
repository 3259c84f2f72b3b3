// The outcomes of the messages in wire-cases.ts over Node's own http, for rows where they differ from
// uWebSockets: one outcome per case, by the name of the row. They are the same on every release that CI
// tests.

import type { Outcome } from '../support/serving/wire-cases.ts';

export const NODE_OUTCOMES: Readonly<Record<string, readonly Outcome[]>> = {
  '`Content-Length` and an empty `Transfer-Encoding`': ['400 closed'],
  'any `Transfer-Encoding`, including `xchunked`, `gzip, chunked`, `chunked, identity`, or two of them': [
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
    '200,200 open',
  ],
  'an empty `Transfer-Encoding` without `Content-Length`': ['400 closed'],
  '`Content-Length` twice': ['400 closed'],
  '`Content-Length` negative, with a sign, hexadecimal, a list, followed by letters, beyond 18 digits': [
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
    '200,200 open',
    '400 closed',
  ],
  '`Content-Length` empty, or starting with a byte above 127': ['400 closed', '400 closed'],
  '`Content-Length` with a byte above 127 after its digits': ['400 closed'],
  'a chunk size that ends in a bare LF': ['400 closed'],
  'two bytes other than CRLF after chunk data': ['400 closed'],
  'a space, a control character or NUL before a chunk size': [
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
  ],
  trailers: ['200 open'],
  'chunk extensions': ['200,200 open'],
  'a bare LF or CR, or NUL, in a head; a folded line; whitespace before a colon or a name; a line without a colon':
    ['400 closed', '400 closed', '400 closed', '400 closed', '400 closed', '400 closed'],
  'a request line that ends in a bare LF': ['400 closed'],
  'a field with an empty name': ['400 closed'],
  'bytes above 127 at the end of a value': ['401,200 open'],
  'bytes above 126 in a target': ['400 closed', '400 closed', '400 closed'],
  'an absolute URI, `*`, a path without a leading slash': ['200,200 open', '404,200 open', '400 closed'],
  'two spaces, or a control character in the path': ['200,200 open', '200,200 open', '400 closed'],
  '`CONNECT` with a host': [' closed'],
  '`CONNECT` with a path': [' closed'],
  'HTTP/1.0, 1.2, 2.0, `http/1.1`': ['200 closed', '400 closed', '200 closed', '400 closed'],
  'a method in lower case': ['400 closed'],
  'a method that is not a token, such as `G<T`, or no method': ['400 closed', '400 closed'],
  'a head without fields': ['400 closed'],
  'an empty line before the request': ['200 open'],
  'requests pipelined after one with `Connection: close`': ['200 closed'],
  '`Connection: close, keep-alive, upgrade`': ['200 closed'],
  '`Upgrade`': ['200 closed'],
};
