// What can be wrong with a request in any dialect, and RFC 9457 problem details: the error format of the
// operations listener, and of any dialect that chooses it. Which problem a request has, and which headers go
// with it (Retry-After, Allow, WWW-Authenticate), is decided where the reply is made.

import type { Status } from './reply-headers.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
export const SERVICE_PROBLEMS = {
  not_found: { status: 404, title: 'No such path' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  missing_key: { status: 401, title: 'API key missing' },
  invalid_key: { status: 401, title: 'API key not valid' },
  forbidden_endpoint: { status: 403, title: 'Endpoint not in the tier of this key' },
  rate_limited: { status: 429, title: 'Rate limit exceeded' },
  unknown_snapshot: { status: 412, title: 'Snapshot not held' },
  body_too_large: { status: 413, title: 'Request body too large' },
  invalid_host: { status: 400, title: 'Host not usable' },
  unsupported_encoding: { status: 415, title: 'Content coding not supported' },
  invalid_encoding: { status: 400, title: 'Request body does not decode' },
  invalid_parameter: { status: 422, title: 'Invalid parameter' },
  no_snapshot: { status: 503, title: 'No data loaded' },
  preparing: { status: 503, title: 'Not prepared yet' },
  draining: { status: 503, title: 'Shutting down' },
  overloaded: { status: 503, title: 'Overloaded' },
  no_worker: { status: 503, title: 'No worker is listening' },
  other_snapshot: { status: 503, title: 'Another snapshot is live' },
  snapshot_too_old: { status: 503, title: 'Data too old' },
  internal_error: { status: 500, title: 'Internal error' },
} as const satisfies Record<string, ProblemKind>;

type ServiceProblemCode = keyof typeof SERVICE_PROBLEMS;

/** What all problems of one code have in common. */
export interface ProblemKind {
  readonly status: Status;
  readonly title: string;
}

export interface ParameterError {
  /** The query or path parameter, or a place in a batch such as `items[3].version`. */
  readonly parameter: string;
  readonly message: string;
}

export interface Problem extends ProblemKind {
  /** One of SERVICE_PROBLEMS, or a code of the dialect's own. */
  readonly code: string;
  /** One sentence about this occurrence, for the person who reads the client's log. Never internals. */
  readonly detail: string;
  /** One per bad parameter. */
  readonly errors?: readonly ParameterError[];
  /** Members that only this code has; rendered last. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Formats an error for the clients of a dialect. The request's id needs no escaping in JSON. */
export type RenderError = (problem: Problem, requestId: string) => RenderedError;

interface RenderedError {
  readonly status: Status;
  readonly contentType: string;
  readonly body: string;
}

export function serviceProblem(code: ServiceProblemCode, detail: string): Problem {
  return { code, ...SERVICE_PROBLEMS[code], detail };
}

/** The problem's `type`. A URN, because a URL would have to keep answering, wherever this runs. */
export function typeOf(code: string): string {
  return `urn:vulndex:problem:${code.replaceAll('_', '-')}`;
}

/** Bodies up to their detail, by code: those of one code mostly begin alike. */
const beginnings = new Map<string, ProblemKind & { readonly text: string }>();

/**
 * The body, as JSON: the members of RFC 9457 first, then ours; absent lists are left out. Requires: `members`
 * has none of the others. Written in pieces: an object for `JSON.stringify` takes 0.6 to 1.8 us more.
 */
export function renderProblem(problem: Problem, requestId: string): string {
  const { code, detail, errors, members } = problem;
  let body = `${beginningOf(problem)}${JSON.stringify(detail)},"code":"${code}","request_id":${JSON.stringify(requestId)}`;
  if (errors !== undefined) body += `,"errors":${JSON.stringify(errors)}`;
  const more = members === undefined ? '{}' : JSON.stringify(members);
  return more === '{}' ? `${body}}` : `${body},${more.slice(1)}`;
}

function beginningOf({ code, title, status }: Problem): string {
  const known = beginnings.get(code);
  if (known !== undefined && known.title === title && known.status === status) return known.text;
  const text = `${JSON.stringify({ type: typeOf(code), title, status }).slice(0, -1)},"detail":`;
  beginnings.set(code, { title, status, text });
  return text;
}

/** RFC 9457. */
export const renderProblemDetails: RenderError = (problem, requestId) => ({
  status: problem.status,
  contentType: 'application/problem+json',
  body: renderProblem(problem, requestId),
});
