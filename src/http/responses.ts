// Replies as values: what a handler returns and the server writes. How an error is told is its dialect's; the headers
// around it, and the bodies that are rendered once, are here.

import { ByteWriter } from '../index/memory/byte-writer.ts';
import { halve, type Problem, type ProblemHalves, type TellError } from './problems.ts';
import type { StaticFile } from './static-files.ts';

export type ReplyHeader = readonly [name: string, value: string];

/**
 * A reply whose body may be a view of a buffer that the next reply overwrites: it is sent, or what could not be
 * sent is copied, before the next request is looked at.
 */
export interface Reply {
  readonly about: RequestFacts;
  readonly status: number;
  /** Everything before the body, as one text: see `makeHead`. */
  readonly head: string;
  readonly body: string | Uint8Array;
}

/** What is known of a request, for its reply and for the logs. */
export interface RequestFacts {
  /** The X-Request-Id it came with, else the one that its problem was given, else ''. */
  readonly id: string;
  /** What it is counted as. */
  readonly label: string;
  /** Of the key that was accepted. */
  readonly keyId: string | undefined;
}

/** What a handler answers: data, the news that the client's copy is current, or a problem. */
export type Answer =
  | { readonly kind: 'json'; readonly body: string | Uint8Array; readonly etag: string | null }
  | { readonly kind: 'not-modified'; readonly etag: string }
  /** A file, or with `isCurrent` only the news that the client has it. */
  | { readonly kind: 'file'; readonly file: StaticFile; readonly isCurrent: boolean }
  | {
      readonly kind: 'problem';
      readonly problem: Problem;
      readonly headers: readonly ReplyHeader[];
      /** Of a problem that never varies: how it is told, around the request's id. */
      readonly prepared?: ProblemHalves & { readonly status: number; readonly head: string };
    };

export const NO_HEADERS: readonly ReplyHeader[] = [];
const JSON_TYPE: ReplyHeader = ['Content-Type', 'application/json'];
const NO_STORE: ReplyHeader = ['Cache-Control', 'no-store'];
const NO_SNIFF: ReplyHeader = ['X-Content-Type-Options', 'nosniff'];
const REVALIDATE: ReplyHeader = ['Cache-Control', 'private, no-cache'];
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Content Too Large',
  422: '422 Unprocessable Content',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/**
 * The status line, without the protocol before it, and the header lines, without the last line break. One text,
 * because each call into the native side costs as much as a search in the index. Requires: header values of ours or
 * checked, since a line break in one would begin a header.
 */
export function makeHead(status: number, headers: readonly ReplyHeader[]): string {
  return addHeaders(STATUS_LINES[status], headers);
}

/** A head with more headers; the same requirement. */
export function addHeaders(head: string, headers: readonly ReplyHeader[]): string {
  let longer = head;
  for (const [name, value] of headers) longer += `\r\n${name}: ${value}`;
  return longer;
}

const OPEN_HEAD = makeHead(200, [JSON_TYPE, ['Cache-Control', 'no-cache']]);

/** The head with the last tag that was asked for: between two swaps there is hardly another. */
class TaggedHead {
  readonly #untagged: string;
  #etag: string | null = null;
  #head: string;

  constructor(untagged: string) {
    this.#untagged = untagged;
    this.#head = untagged;
  }

  with(etag: string | null): string {
    if (etag !== this.#etag) {
      this.#head = etag === null ? this.#untagged : addHeaders(this.#untagged, [['ETag', etag]]);
      this.#etag = etag;
    }
    return this.#head;
  }
}

const dataHead = new TaggedHead(makeHead(200, [JSON_TYPE, REVALIDATE]));
const unchangedHead = new TaggedHead(makeHead(304, [REVALIDATE]));

/** For the prepared problems; ids have at most 128 characters. */
const problemBody = new ByteWriter((size) => new Uint8Array(size), 4096, 4096);

export function json(body: string | Uint8Array, etag: string | null): Answer {
  return { kind: 'json', body, etag };
}

export function refuse(
  problem: Problem,
  headers: readonly ReplyHeader[] = NO_HEADERS,
): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem, headers };
}

/** The same for one that strangers may ask for as often as they like: it is rendered once. */
export function prepareRefusal(
  problem: Problem,
  headers: readonly ReplyHeader[],
  tellError: TellError,
): Answer {
  const { status, contentType } = tellError(problem, '');
  const halves = halve((requestId) => tellError(problem, requestId).body);
  const prepared = { ...halves, status, head: errorHead(status, contentType, headers) };
  return { kind: 'problem', problem, headers, prepared };
}

function errorHead(status: number, contentType: string, headers: readonly ReplyHeader[]): string {
  return makeHead(status, [['Content-Type', contentType], NO_STORE, ...headers]);
}

/** An answer with its status and headers. */
export function toReply(
  answer: Answer,
  about: RequestFacts,
  makeRequestId: () => string,
  limitHeaders: readonly ReplyHeader[],
  tellError: TellError,
): Reply {
  switch (answer.kind) {
    case 'json':
      return {
        about,
        status: 200,
        head: addOwnHeaders(dataHead.with(answer.etag), about.id, limitHeaders),
        body: answer.body,
      };
    case 'not-modified':
      return {
        about,
        status: 304,
        head: addOwnHeaders(unchangedHead.with(answer.etag), about.id, limitHeaders),
        body: '',
      };
    case 'file':
      return fileReply(answer.file, answer.isCurrent, about);
    case 'problem': {
      const { problem, headers, prepared } = answer;
      const id = about.id === '' ? makeRequestId() : about.id;
      const named = about.id === '' ? { id, label: about.label, keyId: about.keyId } : about;
      if (prepared !== undefined) {
        const { status, head } = prepared;
        return {
          about: named,
          status,
          head: addOwnHeaders(head, id, limitHeaders),
          body: join(prepared, id),
        };
      }
      const { status, contentType, body } = tellError(problem, id);
      const head = errorHead(status, contentType, headers);
      return { about: named, status, head: addOwnHeaders(head, id, limitHeaders), body };
    }
  }
}

function join({ before, after }: ProblemHalves, id: string): Uint8Array {
  if (after === undefined) return before;
  problemBody.truncate(0);
  problemBody.piece(before);
  problemBody.text(id);
  problemBody.piece(after);
  return problemBody.view();
}

/** A reply outside the keyed endpoints: no cache, no limits. */
export function openReply(body: string, about: RequestFacts): Reply {
  return { about, status: 200, head: addOwnHeaders(OPEN_HEAD, about.id, NO_HEADERS), body };
}

function fileReply({ contentType, bytes, etag }: StaticFile, isCurrent: boolean, about: RequestFacts): Reply {
  const status = isCurrent ? 304 : 200;
  const type: readonly ReplyHeader[] = isCurrent ? [] : [['Content-Type', contentType], NO_SNIFF];
  const head = makeHead(status, [...type, ['Cache-Control', 'no-cache'], ['ETag', etag]]);
  return { about, status, head: addOwnHeaders(head, about.id, NO_HEADERS), body: isCurrent ? '' : bytes };
}

/** Adds what is this request's own. */
function addOwnHeaders(head: string, id: string, limitHeaders: readonly ReplyHeader[]): string {
  const withLimits = limitHeaders === NO_HEADERS ? head : addHeaders(head, limitHeaders);
  return id === '' ? withLimits : `${withLimits}\r\nX-Request-Id: ${id}`;
}
