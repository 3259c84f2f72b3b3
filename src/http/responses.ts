// Replies as values: what a handler returns and the server writes. Owns the prepared error bodies and the
// headers that belong to an error.

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
  /** The headers that many replies share, joined to one: see `joinHeaders`. */
  readonly prepared: ReplyHeader;
  /** The others. */
  readonly headers: readonly ReplyHeader[];
  readonly body: string | Uint8Array;
}

/** What is known of a request, for its reply and for the logs. */
export interface RequestFacts {
  /** The X-Request-Id it came with, '' when it sent none that is sane. */
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
      /** The body around the request's id, for a problem that never varies. */
      readonly halves?: ProblemHalves;
    };

export const NO_HEADERS: readonly ReplyHeader[] = [];
const JSON_TYPE: ReplyHeader = ['Content-Type', 'application/json'];
const PROBLEM_TYPE: ReplyHeader = ['Content-Type', 'application/problem+json'];
const REVALIDATE: ReplyHeader = ['Cache-Control', 'private, no-cache'];
const PROBLEM_HEADERS = joinHeaders(PROBLEM_TYPE, ['Cache-Control', 'no-store']);
const OPEN_HEADERS = joinHeaders(JSON_TYPE, ['Cache-Control', 'no-cache']);

/**
 * Several headers as one whose value goes on over the following lines, so that the server hands them over in one
 * call: each call into the native side costs as much as a search in the index. Requires: values of ours, since a
 * line break in one would begin a header.
 */
export function joinHeaders(first: ReplyHeader, ...others: readonly ReplyHeader[]): ReplyHeader {
  return [first[0], first[1] + others.map(([name, value]) => `\r\n${name}: ${value}`).join('')];
}

/** Joined headers of the last tag that was asked for: between two swaps there is hardly another. */
class TaggedHeaders {
  readonly #first: readonly ReplyHeader[];
  #etag: string | null | undefined;
  #joined: ReplyHeader = REVALIDATE;

  constructor(...first: readonly ReplyHeader[]) {
    this.#first = first;
  }

  with(etag: string | null): ReplyHeader {
    if (etag !== this.#etag) {
      const [first, ...others] = this.#first;
      this.#joined =
        etag === null ? joinHeaders(first, ...others) : joinHeaders(first, ...others, ['ETag', etag]);
      this.#etag = etag;
    }
    return this.#joined;
  }
}

const dataHeaders = new TaggedHeaders(JSON_TYPE, REVALIDATE);
const unchangedHeaders = new TaggedHeaders(REVALIDATE);

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

/** The same for one that strangers may ask for as often as they like: its body is rendered once. */
export function preparedProblem(
  code: Problem['code'],
  detail: string,
  headers: readonly ReplyHeader[],
): Answer {
  return { kind: 'problem', problem: { code, detail }, headers, halves: halveProblem({ code, detail }) };
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
  if (answer.kind === 'problem') {
    const id = about.id === '' ? makeRequestId() : about.id;
    return {
      about,
      status: statusOf(answer.problem.code),
      prepared: PROBLEM_HEADERS,
      headers: [['X-Request-Id', id], ...limitHeaders, ...answer.headers],
      body:
        answer.halves === undefined
          ? renderProblem(answer.problem, id)
          : `${answer.halves.before}${id}${answer.halves.after}`,
    };
  }
  const headers = withRequestId(about, limitHeaders);
  return answer.kind === 'json'
    ? { about, status: 200, prepared: dataHeaders.with(answer.etag), headers, body: answer.body }
    : { about, status: 304, prepared: unchangedHeaders.with(answer.etag), headers, body: '' };
}

/** A reply outside the keyed endpoints: no cache, no limits. */
export function openReply(body: string, about: RequestFacts): Reply {
  return { about, status: 200, prepared: OPEN_HEADERS, headers: withRequestId(about, NO_HEADERS), body };
}

function withRequestId({ id }: RequestFacts, headers: readonly ReplyHeader[]): readonly ReplyHeader[] {
  return id === '' ? headers : [['X-Request-Id', id], ...headers];
}
