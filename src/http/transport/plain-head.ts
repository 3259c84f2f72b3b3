// Requests that are read without Node's parser: a GET or HEAD without a body whose head is one packet, as
// nearly every look-up is. What is read here is a part of what the parser accepts, and means the same to it:
// whoever sends anything else, be it a line break in another place, has all of the connection read by it.

import type { RequestHead } from './node-request-view.ts';
import { MAX_FIELDS, MAX_HEADER_BYTES } from './transport.ts';

/** `isLast`: it asks for the connection to be closed. */
export interface PlainHead extends RequestHead {
  readonly isLast: boolean;
}

type Fields = Pick<PlainHead, 'rawHeaders' | 'isLast'>;

/** Longer heads are left to the parser, which knows exactly how long one may be. */
const MAX_BYTES = MAX_HEADER_BYTES / 2;
/** A connection keeps the fields of no longer ones. */
const KEPT_BYTES = 1 << 10;
const PROTOCOL = ' HTTP/1.1\r\n';
const END = '\r\n\r\n';
const HOST = 'host';
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;
const COLON = 0x3a;

const IN_TARGET = 1;
const IN_NAME = 2;
const IN_VALUE = 4;
/** By byte: where it may stand. Bytes above 126 may stand nowhere, and fragments are the parser's. */
const PLACES = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  let places = 0;
  if (/[!-~]/.test(character) && character !== '#') places |= IN_TARGET;
  if (/[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(character)) places |= IN_NAME; // a token (RFC 9110 5.6.2)
  if (/[\t -~]/.test(character)) places |= IN_VALUE;
  return places;
});

/** Fields with which a request may have a body or ask for another protocol. */
const SPECIAL: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'proxy-connection', // to Node's parser the same as `Connection`
  'transfer-encoding',
  'upgrade',
]);
const CONNECTION = 'connection';
/** Names of other lengths are not looked at any further. */
const LENGTHS: ReadonlySet<number> = new Set([HOST, CONNECTION, ...SPECIAL].map((name) => name.length));

/** For one connection, whose requests mostly have the same fields. */
export class PlainHeads {
  readonly #socket: RequestHead['socket'];
  #text = '';
  #fields: Fields | undefined;

  constructor(socket: RequestHead['socket']) {
    this.#socket = socket;
  }

  /** The request that is the whole packet, or undefined if it is not a plain one. */
  read(packet: Buffer): PlainHead | undefined {
    if (packet.length > MAX_BYTES) return undefined;
    const text = packet.toString('latin1');
    const method = methodOf(text);
    if (method === undefined || !text.endsWith(END)) return undefined; // so each loop below stops at a CR
    const target = method.length + 1;
    let at = target;
    while ((PLACES[packet[at]] & IN_TARGET) !== 0) at++;
    const rest = text.slice(at);
    const fields = rest === this.#text ? this.#fields : this.#readRest(packet, text, at);
    if (fields === undefined) return undefined;
    const { rawHeaders, isLast } = fields;
    return { method, url: text.slice(target, at), rawHeaders, isLast, socket: this.#socket };
  }

  #readRest(packet: Buffer, text: string, at: number): Fields | undefined {
    if (!text.startsWith(PROTOCOL, at)) return undefined;
    const fields = readFields(packet, text, at + PROTOCOL.length);
    if (fields !== undefined && packet.length <= KEPT_BYTES) {
      this.#text = text.slice(at);
      this.#fields = fields;
    }
    return fields;
  }
}

/** If the target begins with a slash, as it does unless the client takes us for a proxy. */
function methodOf(text: string): string | undefined {
  if (text.startsWith('GET /')) return 'GET';
  return text.startsWith('HEAD /') ? 'HEAD' : undefined;
}

/** The fields from `start` to the empty line, with exactly one `Host` among them. */
function readFields(packet: Buffer, text: string, start: number): Fields | undefined {
  const end = packet.length - 2;
  const rawHeaders: string[] = [];
  let hosts = 0;
  let isLast = false;
  for (let at = start; at < end; at += 2) {
    const nameStart = at;
    while ((PLACES[packet[at]] & IN_NAME) !== 0) at++;
    if (at === nameStart || packet[at] !== COLON) return undefined;
    const name = text.slice(nameStart, at);
    do at++;
    while (isBlank(packet[at]));
    const valueStart = at;
    while ((PLACES[packet[at]] & IN_VALUE) !== 0) at++;
    if (packet[at] !== CR || packet[at + 1] !== LF) return undefined;
    let valueEnd = at;
    while (valueEnd > valueStart && isBlank(packet[valueEnd - 1])) valueEnd--;
    const value = text.slice(valueStart, valueEnd);
    rawHeaders.push(name, value);
    if (!LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    if (SPECIAL.has(lower)) return undefined;
    if (lower === HOST) hosts++;
    if (lower !== CONNECTION) continue;
    const option = value.toLowerCase();
    if (option === 'close') isLast = true;
    else if (option !== 'keep-alive') return undefined;
  }
  return hosts === 1 && rawHeaders.length <= 2 * MAX_FIELDS ? { rawHeaders, isLast } : undefined;
}

function isBlank(byte: number): boolean {
  return byte === BLANK || byte === TAB;
}
