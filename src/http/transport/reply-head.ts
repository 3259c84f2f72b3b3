// The status line of a reply, without the protocol before it, and its header lines, without the last line
// break: in one piece, because each call into the native side costs as much as a search in the index; and as
// bytes, because the addon copies those as they are and turns a text into UTF-8 first. What replies have in
// common is written once, and what is left of a quota, as digits, behind it:
//
//   | 200 OK, the shared headers | RateLimit-Policy: P, RateLimit: "tier";r= | 4999;t=18 | headers of its own |
//     once for the shared headers  once for each policy                         for each reply

import { isWord, putNumber } from '../digits.ts';
import {
  type OwnHeaders,
  type QuotaPolicy,
  REQUEST_ID,
  type ReplyHeader,
  reasonOf,
  type SharedHeaders,
  type Status,
} from '../replies/reply-headers.ts';
import type { MadeId } from '../request-id.ts';

/** What the head of a reply is made of. */
interface HeadParts {
  readonly status: Status;
  readonly headers: SharedHeaders;
  readonly ownHeaders: OwnHeaders;
}

/** For what each reply writes anew. A head that needs more is made as a text. */
const ROOM = 512;
/** Heads that end so soon behind what they share have views that are made once. */
const VIEWS = 96;
/** A server with more tiers writes some of their heads anew. */
const POLICIES = 8;
const LAST_ASCII = 0x7e;
const ID_LINE = new TextEncoder().encode(linesOf('', [[REQUEST_ID, '']]));

/** The head of a reply; bytes are valid until the next one with the same shared headers is made. */
export function headOf(reply: HeadParts): Uint8Array | string {
  const { status, headers, ownHeaders } = reply;
  const { prepared } = headers;
  if (!(prepared instanceof SharedHead) || prepared.status !== status) {
    // Many lists are made for one reply, so bytes are worth their making the second time.
    headers.prepared = new SharedHead(status, headers.fields);
    return headText(reply);
  }
  return prepared.with(ownHeaders) ?? headText(reply);
}

/** The same as a text. */
export function headText({ status, headers, ownHeaders }: HeadParts): string {
  return linesOf(`${status} ${reasonOf(status)}`, [...headers.fields, ...ownHeaders.fields]);
}

/** What all replies with a list of shared headers begin with. */
class SharedHead {
  readonly status: Status;
  readonly #fields: readonly ReplyHeader[];
  #plain: HeadBuffer | undefined;
  readonly #policies: (QuotaPolicy | undefined)[] = [];
  readonly #limited: HeadBuffer[] = [];
  #next = 0;

  constructor(status: Status, fields: readonly ReplyHeader[]) {
    this.status = status;
    this.#fields = fields;
  }

  /** Undefined if the bytes have no room, or the reply has what is not written as digits and ASCII. */
  with({ left, others, madeId }: OwnHeaders): Uint8Array | undefined {
    if (left === undefined) {
      this.#plain ??= new HeadBuffer(this.#text());
      return this.#plain.with(others, madeId, this.#plain.start);
    }
    const { policy, remaining, seconds } = left;
    if (!isWord(remaining) || !isWord(seconds)) return undefined;
    const buffer = this.#bufferOf(policy);
    return buffer.with(others, madeId, buffer.putQuota(remaining, seconds));
  }

  #bufferOf(policy: QuotaPolicy): HeadBuffer {
    const known = this.#policies.indexOf(policy);
    if (known >= 0) return this.#limited[known];
    const buffer = new HeadBuffer(
      `${linesOf(this.#text(), [policy.header])}\r\nRateLimit: "${policy.tier}";r=`,
    );
    this.#policies[this.#next] = policy;
    this.#limited[this.#next] = buffer;
    this.#next = (this.#next + 1) % POLICIES;
    return buffer;
  }

  #text(): string {
    return linesOf(`${this.status} ${reasonOf(this.status)}`, this.#fields);
  }
}

/** The bytes that many heads begin with, and behind them room for the rest of one. */
class HeadBuffer {
  /** Where the rest begins. */
  readonly start: number;
  readonly #bytes: Uint8Array;
  readonly #views: (Uint8Array | undefined)[] = [];

  constructor(text: string) {
    const common = new TextEncoder().encode(text);
    this.start = common.length;
    this.#bytes = new Uint8Array(this.start + ROOM);
    this.#bytes.set(common);
  }

  /** Returns where it ends. */
  putQuota(remaining: number, seconds: number): number {
    const bytes = this.#bytes;
    const end = putNumber(bytes, this.start, remaining);
    bytes[end] = 0x3b; // ;t=
    bytes[end + 1] = 0x74;
    bytes[end + 2] = 0x3d;
    return putNumber(bytes, end + 3, seconds);
  }

  /** The head with the headers added where it ends, and then a header for the id. */
  with(fields: readonly ReplyHeader[], id: MadeId | undefined, end: number): Uint8Array | undefined {
    let at = end;
    if (fields.length > 0) {
      const lines = linesOf('', fields);
      if (at + lines.length > this.#bytes.length) return undefined;
      for (let i = 0; i < lines.length; i++) {
        const code = lines.charCodeAt(i);
        if (code > LAST_ASCII) return undefined;
        this.#bytes[at++] = code;
      }
    }
    if (id !== undefined) {
      if (at + ID_LINE.length + id.length > this.#bytes.length) return undefined;
      for (let i = 0; i < ID_LINE.length; i++) this.#bytes[at++] = ID_LINE[i];
      at = id.put(this.#bytes, at);
    }
    const rest = at - this.start;
    if (rest >= VIEWS) return this.#bytes.subarray(0, at);
    this.#views[rest] ??= this.#bytes.subarray(0, at);
    return this.#views[rest];
  }
}

function linesOf(head: string, fields: readonly ReplyHeader[]): string {
  let longer = head;
  for (const [name, value] of fields) longer += `\r\n${name}: ${value}`;
  return longer;
}
