// The closed list of errors a request can meet, and their body: RFC 9457 problem details. It owns codes,
// statuses, titles and the order of the keys; which problem a request has, and the headers that go with one
// (Retry-After, Allow, WWW-Authenticate), are decided where the reply is made.

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
const PROBLEMS = {
  not_found: { status: 404, title: 'No such path' },
  unknown_vulnerability: { status: 404, title: 'No such vulnerability' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  missing_key: { status: 401, title: 'API key missing' },
  invalid_key: { status: 401, title: 'API key not valid' },
  forbidden_endpoint: { status: 403, title: 'Endpoint not in the tier of this key' },
  rate_limited: { status: 429, title: 'Rate limit exceeded' },
  body_too_large: { status: 413, title: 'Request body too large' },
  invalid_body: { status: 400, title: 'Request body is not JSON' },
  invalid_parameter: { status: 422, title: 'Invalid parameter' },
  invalid_cursor: { status: 422, title: 'Invalid cursor' },
  invalid_batch: { status: 422, title: 'Invalid batch' },
  ambiguous_id: { status: 422, title: 'Several vulnerabilities have this id' },
  no_snapshot: { status: 503, title: 'No data loaded' },
  draining: { status: 503, title: 'Shutting down' },
  no_worker: { status: 503, title: 'No worker is listening' },
  snapshot_too_old: { status: 503, title: 'Data too old' },
  internal_error: { status: 500, title: 'Internal error' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Every code, in the order of the table above. */
// The cast restores what Object.keys forgets: the table is a literal, so its keys are exactly the codes.
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** What can be wrong with one item of a batch while the others are answered. */
export const ITEM_ERROR_CODES = ['invalid_version', 'batch_too_large'] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export interface ParameterError {
  /** The query or path parameter, or a place in a batch such as `items[3].version`. */
  readonly parameter: string;
  readonly message: string;
}

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence on this occurrence, for the person who reads the client's log. Never internals. */
  readonly detail: string;
  /** One per bad parameter; every 422 has at least one. */
  readonly errors?: readonly ParameterError[];
  /** With `ambiguous_id` only: the numeric ids of the vulnerabilities that share the id asked for. */
  readonly ids?: readonly number[];
}

export function statusOf(code: ProblemCode): number {
  return PROBLEMS[code].status;
}

export function titleOf(code: ProblemCode): string {
  return PROBLEMS[code].title;
}

/** The problem's `type`. A URN, because a URL would have to answer, and go on answering, wherever this runs. */
export function typeOf(code: ProblemCode): string {
  return `urn:vulndex:problem:${code.replaceAll('_', '-')}`;
}

/** The body, as JSON: the members of RFC 9457 first, then ours; absent lists are left out. */
export function renderProblem(problem: Problem, requestId: string): string {
  return JSON.stringify({
    type: typeOf(problem.code),
    title: titleOf(problem.code),
    status: statusOf(problem.code),
    detail: problem.detail,
    code: problem.code,
    request_id: requestId,
    errors: problem.errors,
    ids: problem.ids,
  });
}

export interface ProblemHalves {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** The body before and after the request's id. Requires of the id that it needs no escape in JSON. */
export function halveProblem(problem: Problem): ProblemHalves {
  const marker = '\u0000'; // rendered as an escape that no text of ours holds
  const escaped = JSON.stringify(marker).slice(1, -1);
  const [before, after] = renderProblem(problem, marker).split(escaped);
  return { before: Buffer.from(before), after: Buffer.from(after) };
}
