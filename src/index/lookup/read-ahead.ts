// The lines of memory that looking up several products will read, asked for together. One look-up waits for
// six or seven lines, one after the other, since each tells where the next is. Those of other products do not
// depend on it, and in a short loop the processor waits for many at once. No answer depends on any of this.

import type { BoundTables } from './interval-index.ts';
import { boundStartIn, groupStartIn, intervalStartIn, slugStartIn } from './product-rows.ts';
import { candidateAt, type ProductTables } from './product-table.ts';

/** Products at a time: 220 lines of 64 bytes, which a core's first cache holds beside what is written. */
const READ_AHEAD = 32;

const hashes = new Uint32Array(READ_AHEAD);
const products = new Int32Array(READ_AHEAD);
const slugs = new Uint32Array(READ_AHEAD);
const bounds = new Uint32Array(READ_AHEAD);
const intervals = new Uint32Array(READ_AHEAD);
/** What was read has to go somewhere, or the compiler would leave the reading out. */
const read = new Uint32Array(1);

/**
 * Before each of `total` products is looked up, in order. `hashAt` returns what product-table.ts makes of
 * their names; another number costs time only.
 */
export function readAhead(
  { columns, productRows, productSlots, boundPrefix }: ProductTables & BoundTables,
  at: number,
  total: number,
  hashAt: (at: number) => number,
): void {
  if (at % READ_AHEAD !== 0) return;
  const count = Math.min(READ_AHEAD, total - at);
  const { productSlug, intervalLo, intervalHi } = columns;
  let sum = 0;
  for (let i = 0; i < count; i++) hashes[i] = hashAt(at + i);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const product = candidateAt(productSlots, hashes[i]);
    if (product >= 0) products[found++] = product;
  }
  for (let i = 0; i < found; i++) {
    const product = products[i];
    slugs[i] = slugStartIn(productRows, product);
    bounds[i] = boundStartIn(productRows, product);
    intervals[i] = intervalStartIn(productRows, product);
    sum += groupStartIn(productRows, product + 1); // the ends of its parts may be in the next line
  }
  for (let i = 0; i < found; i++) {
    const interval = intervals[i];
    sum += productSlug[slugs[i]] + boundPrefix[bounds[i]] + intervalLo[interval] + intervalHi[interval];
  }
  read[0] = sum;
}
