// What can be wrong with a request in any dialect. Each formats these in its own shape.

import {
  type ParameterError,
  type Problem,
  type ProblemKind,
  SERVICE_PROBLEMS,
} from '../http/replies/problems.ts';
import { type Refusal, refuse } from '../http/replies/responses.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
/** What the service itself refuses, and what several dialects do. */
export const PROBLEMS = {
  ...SERVICE_PROBLEMS,
  unknown_vulnerability: { status: 404, title: 'No such vulnerability' },
  invalid_body: { status: 400, title: 'Request body is not JSON' },
  invalid_cursor: { status: 422, title: 'Invalid cursor' },
  invalid_batch: { status: 422, title: 'Invalid batch' },
  ambiguous_id: { status: 422, title: 'Several vulnerabilities have this id' },
} as const satisfies Record<string, ProblemKind>;

/** `members` are the `ids` of an ambiguous id. */
export function requestProblem(
  code: keyof typeof PROBLEMS,
  detail: string,
  more: Pick<Problem, 'errors' | 'members'> = {},
): Problem {
  return { code, ...PROBLEMS[code], detail, ...more };
}

/** Refuses with one entry per bad parameter. Requires: at least one. */
export function refuseParameters(
  errors: readonly ParameterError[],
  code: 'invalid_parameter' | 'invalid_cursor' | 'invalid_batch' = 'invalid_parameter',
): Refusal {
  const detail =
    errors.length === 1
      ? `${errors[0].parameter}: ${errors[0].message}`
      : `${errors.length} parameters are not valid: ${errors.map((error) => error.parameter).join(', ')}`;
  return refuse(requestProblem(code, detail, { errors }));
}
