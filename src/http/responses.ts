// Replies as values: what a handler returns and the server writes. Owns the prepared error bodies and the
// headers that belong to an error.

import { ByteWriter } from '../index/memory/byte-writer.ts';
import {
  halveProblem,
  type ParameterError,
  type Problem,
  type ProblemHalves,
  renderProblem,
  statusOf,
} from './problems.ts';
import type { RouteLabel } from './routes.ts';

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
  readonly label: RouteLabel;
  /** Of the key that was accepted. */
  readonly keyId: string | undefined;
}

/** What a handler answers: data, the news that the client's copy is current, or a problem. */
export type Answer =
  | { readonly kind: 'json'; readonly body: string | Uint8Array; readonly etag: string | null }
  | { readonly kind: 'not-modified'; readonly etag: string }
  | {
      readonly kind: 'problem';
      readonly problem: Problem;
      readonly headers: readonly ReplyHeader[];
      /** Of a problem that never varies: its head, and its body around the request's id. */
      readonly prepared?: ProblemHalves & { readonly head: string };
    };

export const NO_HEADERS: readonly ReplyHeader[] = [];
const JSON_TYPE: ReplyHeader = ['Content-Type', 'application/json'];
const PROBLEM_TYPE: ReplyHeader = ['Content-Type', 'application/problem+json'];
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

export function problem(
  code: Problem['code'],
  detail: string,
  headers: readonly ReplyHeader[] = NO_HEADERS,
): Answer {
  return { kind: 'problem', problem: { code, detail }, headers };
}

/** The same for one that strangers may ask for as often as they like: it is rendered once. */
export function preparedProblem(
  code: Problem['code'],
  detail: string,
  headers: readonly ReplyHeader[],
): Answer {
  const prepared = { ...halveProblem({ code, detail }), head: problemHead(code, headers) };
  return { kind: 'problem', problem: { code, detail }, headers, prepared };
}

function problemHead(code: Problem['code'], headers: readonly ReplyHeader[]): string {
  return makeHead(statusOf(code), [PROBLEM_TYPE, ['Cache-Control', 'no-store'], ...headers]);
}

/** A 422 with one entry per bad parameter. Requires: at least one. */
export function invalid(code: Problem['code'], errors: readonly ParameterError[]): Answer {
  const detail =
    errors.length === 1
      ? `${errors[0].parameter}: ${errors[0].message}`
      : `${errors.length} parameters are not valid: ${errors.map((error) => error.parameter).join(', ')}`;
  return { kind: 'problem', problem: { code, detail, errors }, headers: NO_HEADERS };
}

/** An answer with its status and headers. */
export function toReply(
  answer: Answer,
  about: RequestFacts,
  makeRequestId: () => string,
  limitHeaders: readonly ReplyHeader[],
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
    case 'problem': {
      const { problem, headers, prepared } = answer;
      const id = about.id === '' ? makeRequestId() : about.id;
      return {
        about: about.id === '' ? { id, label: about.label, keyId: about.keyId } : about,
        status: statusOf(problem.code),
        head: addOwnHeaders(prepared?.head ?? problemHead(problem.code, headers), id, limitHeaders),
        body: prepared === undefined ? renderProblem(problem, id) : joinHalves(prepared, id),
      };
    }
  }
}

function joinHalves({ before, after }: ProblemHalves, id: string): Uint8Array {
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

/** Adds what is this request's own. */
function addOwnHeaders(head: string, id: string, limitHeaders: readonly ReplyHeader[]): string {
  const withLimits = limitHeaders === NO_HEADERS ? head : addHeaders(head, limitHeaders);
  return id === '' ? withLimits : `${withLimits}\r\nX-Request-Id: ${id}`;
}
