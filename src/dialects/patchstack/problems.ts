// The closed list of errors in the contract: codes, statuses and titles. http/replies/problems.ts renders them as RFC 9457
// problem details.

import {
  type ParameterError,
  type Problem,
  type ProblemKind,
  SERVICE_PROBLEMS,
  type ServiceProblemCode,
} from '../../http/replies/problems.ts';
import { type Answer, refuse } from '../../http/replies/responses.ts';
import { detailOf, REQUEST_PROBLEMS } from '../request-problems.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
const OWN_PROBLEMS = {
  unknown_vulnerability: REQUEST_PROBLEMS.unknown_vulnerability,
  invalid_body: REQUEST_PROBLEMS.invalid_body,
  invalid_cursor: { status: 422, title: 'Invalid cursor' },
  invalid_batch: REQUEST_PROBLEMS.invalid_batch,
  ambiguous_id: REQUEST_PROBLEMS.ambiguous_id,
} as const satisfies Record<string, ProblemKind>;

const {
  not_found,
  no_snapshot,
  draining,
  no_worker,
  snapshot_too_old,
  internal_error,
  invalid_parameter,
  preparing,
  // Of routes that decode bodies: this dialect has none.
  unsupported_encoding: _unsupported,
  invalid_encoding: _invalid,
  ...refusals
} = SERVICE_PROBLEMS;
const { unknown_vulnerability, invalid_body, ...badRequests } = OWN_PROBLEMS;

export type ProblemCode =
  | Exclude<ServiceProblemCode, 'unsupported_encoding' | 'invalid_encoding'>
  | keyof typeof OWN_PROBLEMS;

/** In the order in which the OpenAPI document lists them. */
const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  not_found,
  unknown_vulnerability,
  ...refusals,
  invalid_body,
  invalid_parameter,
  ...badRequests,
  no_snapshot,
  preparing,
  draining,
  no_worker,
  snapshot_too_old,
  internal_error,
};

/** Every code, in the order of the table above. */
// The cast restores what Object.keys forgets: the table has exactly the codes as keys.
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** What can be wrong with one item of a batch while the others are answered. */
export const ITEM_ERROR_CODES = ['invalid_version', 'batch_too_large'] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export function statusOf(code: ProblemCode): number {
  return PROBLEMS[code].status;
}

export function titleOf(code: ProblemCode): string {
  return PROBLEMS[code].title;
}

/** Every 422 has `errors`; `members` are the `ids` of an ambiguous id. */
export function problemOf(
  code: ProblemCode,
  detail: string,
  more: Pick<Problem, 'errors' | 'members'> = {},
): Problem {
  return { code, ...PROBLEMS[code], detail, ...more };
}

export function problem(code: ProblemCode, detail: string): Answer {
  return refuse(problemOf(code, detail));
}

/** A 422 with one entry per bad parameter. Requires: at least one. */
export function invalid(code: ProblemCode, errors: readonly ParameterError[]): Answer {
  return refuse(problemOf(code, detailOf(errors), { errors }));
}
