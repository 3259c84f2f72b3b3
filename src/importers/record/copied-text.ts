// A record becomes an advisory for each product that it names, with a copy of its text. Published records
// have some hundred kilobytes of copies at most; a hostile one of a few kilobytes, compressed, could have
// gigabytes.

import type { FieldProblem } from './feed-schema.ts';

export const MAX_COPIED_BYTES = 16 * 1024 * 1024;

/** Of a record with more; `field` lists its products. */
export function tooManyCopies(field: string): FieldProblem {
  const message = `names so many products that the copies of its text have more than ${MAX_COPIED_BYTES} bytes`;
  return { field, message };
}
