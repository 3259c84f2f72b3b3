// Replies as values: what a handler returns and the server writes. Owns the prepared error bodies and the
// headers that belong to an error.

import { type ParameterError, type Problem, renderProblem, statusOf } from './problems.ts';
import type { RouteLabel } from './routes.ts';

export type ReplyHeader = readonly [name: string, value: string];

/**
 * A reply whose body may be a view of a buffer that the next reply overwrites: it is sent, or what could not be
 * sent is copied, before the next request is looked at.
 */
export interface Reply {
  readonly about: RequestFacts;
  readonly status: number;
  readonly contentType: string;
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
  | { readonly kind: 'problem'; readonly problem: Problem; readonly headers: readonly ReplyHeader[] };

export const NO_HEADERS: readonly ReplyHeader[] = [];
const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const REVALIDATE: ReplyHeader = ['Cache-Control', 'private, no-cache'];
const NO_STORE: ReplyHeader = ['Cache-Control', 'no-store'];

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
      contentType: PROBLEM_TYPE,
      headers: [NO_STORE, ['X-Request-Id', id], ...limitHeaders, ...answer.headers],
      body: renderProblem(answer.problem, id),
    };
  }
  const headers: ReplyHeader[] = [REVALIDATE];
  if (answer.etag !== null) headers.push(['ETag', answer.etag]);
  if (about.id !== '') headers.push(['X-Request-Id', about.id]);
  for (const header of limitHeaders) headers.push(header);
  return answer.kind === 'json'
    ? { about, status: 200, contentType: JSON_TYPE, headers, body: answer.body }
    : { about, status: 304, contentType: '', headers, body: '' };
}

/** A reply outside the keyed endpoints: no cache, no limits. */
export function openReply(body: string, about: RequestFacts): Reply {
  const headers: ReplyHeader[] = [['Cache-Control', 'no-cache']];
  if (about.id !== '') headers.push(['X-Request-Id', about.id]);
  return { about, status: 200, contentType: JSON_TYPE, headers, body };
}
