// The closed list of errors in the contract; request-problems.ts has their statuses and titles.

import type { PROBLEMS } from '../request-problems.ts';

/** In the order in which the OpenAPI document lists them. */
export const PROBLEM_CODES = [
  'not_found',
  'unknown_vulnerability',
  'method_not_allowed',
  'missing_key',
  'invalid_key',
  'forbidden_endpoint',
  'rate_limited',
  'unknown_snapshot',
  'body_too_large',
  'invalid_body',
  'invalid_parameter',
  'invalid_cursor',
  'invalid_batch',
  'ambiguous_id',
  'no_snapshot',
  'preparing',
  'draining',
  'overloaded',
  'no_worker',
  'snapshot_too_old',
  'other_snapshot',
  'internal_error',
] as const satisfies readonly (keyof typeof PROBLEMS)[];
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** What can be wrong with one item of a batch while the others are answered. */
export const ITEM_ERROR_CODES = ['invalid_version', 'batch_too_large'] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];
