// Replies as values: what a handler returns and a transport writes. The dialect formats errors; their headers, and bodies
// that are rendered only once, are here.

import { ByteWriter } from '../index/memory/byte-writer.ts';
import { halve, type Problem, type ProblemHalves, type RenderError } from './problems.ts';
import type { StaticFile } from './static-files.ts';

export type ReplyHeader = readonly [name: string, value: string];

/**
 * A reply. Its body may be a view of a buffer that the next reply overwrites, so before the next request is handled it is
 * sent, and what could not be sent is copied.
 */
export interface Reply {
  readonly about: RequestFacts;
  readonly status: number;
  /** Everything before the body, as one string: see `makeHead`. */
  readonly head: string;
  readonly body: string | Uint8Array;
}

/** Facts about a request, for its reply and for the logs. */
export interface RequestFacts {
  /** The X-Request-Id that was sent, else the one generated for its problem, else ''. */
  readonly id: string;
  /** Its label in metrics and logs. */
  readonly label: string;
  /** The id of the accepted key. */
  readonly keyId: string | undefined;
}

/** A handler's answer: data, a 304, a file, or a problem. */
export type Answer =
  | { readonly kind: 'json'; readonly body: string | Uint8Array; readonly etag: string | null }
  | { readonly kind: 'not-modified'; readonly etag: string }
  /** A file, or with `isCurrent` a 304. */
  | { readonly kind: 'file'; readonly file: StaticFile; readonly isCurrent: boolean }
  | {
      readonly kind: 'problem';
      readonly problem: Problem;
      readonly headers: readonly ReplyHeader[];
      /** For a problem that never varies: its rendered form, around the request's id. */
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
 * The status line without the protocol, and the header lines without the last line break. One string, because each call
 * into native code costs as much as a search in the index. Requires: header values are ours or were checked, since a
 * line break in one would begin another header.
 */
export function makeHead(status: number, headers: readonly ReplyHeader[]): string {
  return addHeaders(STATUS_LINES[status], headers);
}

/** The head with more headers. The same requirement. */
export function addHeaders(head: string, headers: readonly ReplyHeader[]): string {
  let longer = head;
  for (const [name, value] of headers) longer += `\r\n${name}: ${value}`;
  return longer;
}

const OPEN_HEAD = makeHead(200, [JSON_TYPE, ['Cache-Control', 'no-cache']]);

/** Caches the head with the last tag used: between two swaps there is rarely another. */
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

/** For prepared problems; ids have at most 128 characters. */
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

/** The same, but rendered only once: for refusals that anyone can cause as often as they like. */
export function prepareRefusal(
  problem: Problem,
  headers: readonly ReplyHeader[],
  renderError: RenderError,
): Answer {
  const { status, contentType } = renderError(problem, '');
  const halves = halve((requestId) => renderError(problem, requestId).body);
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
  renderError: RenderError,
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
      const { status, contentType, body } = renderError(problem, id);
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

/** A reply outside the keyed endpoints: `no-cache`, and no limit headers. */
export function openReply(body: string, about: RequestFacts): Reply {
  return { about, status: 200, head: addOwnHeaders(OPEN_HEAD, about.id, NO_HEADERS), body };
}

function fileReply({ contentType, bytes, etag }: StaticFile, isCurrent: boolean, about: RequestFacts): Reply {
  const status = isCurrent ? 304 : 200;
  const type: readonly ReplyHeader[] = isCurrent ? [] : [['Content-Type', contentType], NO_SNIFF];
  const head = makeHead(status, [...type, ['Cache-Control', 'no-cache'], ['ETag', etag]]);
  return { about, status, head: addOwnHeaders(head, about.id, NO_HEADERS), body: isCurrent ? '' : bytes };
}

/** Adds the headers that differ from request to request. */
function addOwnHeaders(head: string, id: string, limitHeaders: readonly ReplyHeader[]): string {
  const withLimits = limitHeaders === NO_HEADERS ? head : addHeaders(head, limitHeaders);
  return id === '' ? withLimits : `${withLimits}\r\nX-Request-Id: ${id}`;
}
