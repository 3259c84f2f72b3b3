// What can be wrong with a request in more than one dialect, beside what the service itself refuses. A dialect formats these
// in its own shape.

import {
  type ParameterError,
  type Problem,
  type ProblemKind,
  SERVICE_PROBLEMS,
} from '../http/replies/problems.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
export const REQUEST_PROBLEMS = {
  unknown_vulnerability: { status: 404, title: 'No such vulnerability' },
  invalid_body: { status: 400, title: 'Request body is not JSON' },
  invalid_parameter: SERVICE_PROBLEMS.invalid_parameter,
  invalid_batch: { status: 422, title: 'Invalid batch' },
  ambiguous_id: { status: 422, title: 'Several vulnerabilities have this id' },
} as const satisfies Record<string, ProblemKind>;

export type RequestProblemCode = keyof typeof REQUEST_PROBLEMS;

export function requestProblem(
  code: RequestProblemCode,
  detail: string,
  more: Pick<Problem, 'errors' | 'members'> = {},
): Problem {
  return { code, ...REQUEST_PROBLEMS[code], detail, ...more };
}

/** One sentence about bad parameters. Requires: at least one. */
export function detailOf(errors: readonly ParameterError[]): string {
  return errors.length === 1
    ? `${errors[0].parameter}: ${errors[0].message}`
    : `${errors.length} parameters are not valid: ${errors.map((error) => error.parameter).join(', ')}`;
}

/** A problem with one entry per bad parameter. Requires: at least one. */
export function badParameters(
  code: 'invalid_parameter' | 'invalid_batch',
  errors: readonly ParameterError[],
): Problem {
  return requestProblem(code, detailOf(errors), { errors });
}
