// The `include` parameter that listings, lookups and batches share.

import type { ParameterError } from '../problems.ts';
import { readQuery } from '../query.ts';

/** Whether details are wanted; a value other than `details` goes to `errors`. */
export function readInclude(include: string | undefined, errors: ParameterError[]): boolean {
  if (include === undefined) return false;
  if (include !== 'details') errors.push({ parameter: 'include', message: 'must be details' });
  return true;
}

/** The same for an endpoint that knows no other parameter. */
export function readOnlyInclude(query: string, errors: ParameterError[]): boolean {
  if (query === '') return false;
  const [include] = readQuery(query, ['include'], errors);
  return readInclude(include, errors);
}
