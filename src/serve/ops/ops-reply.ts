// Requests and replies of the operations listener as values, and its refusals.

import { randomUUID } from 'node:crypto';
import { type Problem, renderProblemDetails } from '../../http/replies/problems.ts';
import { NO_HEADERS, type ReplyHeader } from '../../http/replies/reply-headers.ts';
import type { Answer } from '../../http/replies/responses.ts';

export interface OpsRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** '' for none. */
  readonly query: string;
  /** A header by lower-case name; '' when absent. */
  header(name: string): string;
  /** Undefined if it is too large. */
  body(): Promise<Uint8Array | undefined>;
}

export interface OpsReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function found(
  body: string | Uint8Array,
  contentType = 'application/json',
  cacheControl = 'no-cache',
): OpsReply {
  return { status: 200, headers: { 'Content-Type': contentType, 'Cache-Control': cacheControl }, body };
}

export function refused(problem: Problem, headers: readonly ReplyHeader[] = NO_HEADERS): OpsReply {
  const requestId = randomUUID();
  const { status, contentType, body } = renderProblemDetails(problem, requestId);
  return {
    status,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...Object.fromEntries(headers),
    },
    body,
  };
}

/** An answer of the routes that both listeners have. */
export function replyOf(answer: Extract<Answer, { kind: 'json' | 'accepted' | 'problem' }>): OpsReply {
  switch (answer.kind) {
    case 'json':
      return found(answer.body);
    case 'accepted':
      return { ...found(answer.body, undefined, 'no-store'), status: 202 };
    case 'problem':
      return refused(answer.problem, answer.headers);
  }
}
