// The parameters that listings, lookups and batches share: `include`, and `fix` for the last two.

import type { ParameterError } from '../../http/replies/problems.ts';
import { readParameters } from '../../http/routing/query.ts';

/** Whether details are wanted; a value other than `details` goes to `errors`. */
export function readInclude(include: string | undefined, errors: ParameterError[]): boolean {
  if (include === undefined) return false;
  if (include !== 'details') errors.push({ parameter: 'include', message: 'must be details' });
  return true;
}

/** What a lookup shows beyond the list items. */
export interface LookupOptions {
  readonly withDetails: boolean;
  /** The version to update to. */
  readonly withUpdate: boolean;
}

const PLAIN: LookupOptions = { withDetails: false, withUpdate: false };

/** Invalid values go to `errors`. */
export function readLookupOptions(query: string, errors: ParameterError[]): LookupOptions {
  if (query === '') return PLAIN;
  const [include, fix] = readParameters(query, ['include', 'fix'], errors);
  if (fix !== undefined && fix !== 'true' && fix !== 'false') {
    errors.push({ parameter: 'fix', message: 'must be true or false' });
  }
  return { withDetails: readInclude(include, errors), withUpdate: fix === 'true' };
}
