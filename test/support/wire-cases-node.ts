// What comes back over Node's own http to the messages of wire-cases.ts, where that is not what comes back over
// uWebSockets: the rows by name, and for each of its cases the outcome. The same on every release that is tested.

import type { Outcome } from './wire-cases.ts';

export const NODE_OUTCOMES: Readonly<Record<string, readonly Outcome[]>> = {
  '`Content-Length` and an empty `Transfer-Encoding`': ['400 closed'],
  '`Transfer-Encoding` of any value, also `xchunked`, `gzip, chunked`, `chunked, identity`, or given twice': [
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
    '200,200 open',
  ],
  'an empty `Transfer-Encoding` alone': ['400 closed'],
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
  '`Content-Length` empty, or beginning with a byte above 127': ['400 closed', '400 closed'],
  '`Content-Length` with a byte above 127 behind its digits': ['400 closed'],
  "a chunk's size ended by a bare LF": ['400 closed'],
  "two bytes after a chunk's data that are no CRLF": ['400 closed'],
  "a blank, a control character or NUL before a chunk's size": [
    '400 closed',
    '400 closed',
    '400 closed',
    '400 closed',
  ],
  trailers: ['200 open'],
  'chunk extensions': ['200,200 open'],
  'a bare LF or CR, or NUL, in a head; a folded line; a blank before a colon or before a name; a line without a colon':
    ['400 closed', '400 closed', '400 closed', '400 closed', '400 closed', '400 closed'],
  'a bare LF at the end of the first line': ['400 closed'],
  'a field with an empty name': ['400 closed'],
  'bytes above 127 in values and paths': ['200,200 open', '400 closed'],
  'an absolute URI, `*`, a path without its slash': ['404,200 open', '404,200 open', '400 closed'],
  'two blanks, a control character in the path': ['200,200 open', '200,200 open', '400 closed'],
  '`CONNECT` with a host': [' closed'],
  '`CONNECT` with a path': [' closed'],
  'HTTP/1.0, 1.2, 2.0, `http/1.1`': ['200 closed', '400 closed', '200 closed', '400 closed'],
  'a method in lower case': ['400 closed'],
  'a method that is no token, such as `G<T`, or none at all': ['400 closed', '400 closed'],
  'a head without any field': ['400 closed'],
  '`PSKey` twice': ['401,200 open', '401,200 open'],
  'an empty line before the request': ['200 open'],
  'requests after one with `Connection: close`, pipelined': ['200 closed'],
  '`Connection: close, keep-alive, upgrade`': ['200 closed'],
  '`Upgrade`': ['200 closed'],
};
