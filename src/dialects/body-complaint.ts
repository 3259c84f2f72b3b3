// Why the body of a batch is not read at all, in the words of all dialects with batches.

import type { ReadJson } from '../http/json-body.ts';

export function bodyComplaint(read: Exclude<ReadJson, { readonly kind: 'json' }>): string {
  return read.kind === 'not-json'
    ? 'The body must be a JSON array in UTF-8.'
    : `The body may ${read.what}, got more.`;
}
