// The lines of memory that looking up several products will read, asked for together. One look-up waits for
// some ten lines, one after the other, since each tells where the next is. Those of other products do not
// depend on it, and in a short loop the processor waits for many at once. No answer depends on any of this.

import type { BoundTables } from './interval-index.ts';
import { candidateAt, type ProductTables } from './product-table.ts';

/** Products at a time: 320 lines of 64 bytes, which a core's first cache holds beside what is written. */
const READ_AHEAD = 32;

const hashes = new Uint32Array(READ_AHEAD);
const products = new Int32Array(READ_AHEAD);
const slugs = new Uint32Array(READ_AHEAD);
const groups = new Uint32Array(READ_AHEAD);
const bounds = new Uint32Array(READ_AHEAD);
const intervals = new Uint32Array(READ_AHEAD);
/** What was read has to go somewhere, or the compiler would leave the reading out. */
const read = new Uint32Array(1);

/**
 * Before each of `total` products is looked up, in order. `hashAt` returns what product-table.ts makes of
 * their names; another number costs time only.
 */
export function readAhead(
  { columns, productSlots, boundPrefix }: ProductTables & BoundTables,
  at: number,
  total: number,
  hashAt: (at: number) => number,
): void {
  if (at % READ_AHEAD !== 0) return;
  const count = Math.min(READ_AHEAD, total - at);
  const { productType, productSlug, productSlugStart, productGroupStart } = columns;
  const { groupScheme, groupBoundStart, groupIntervalStart, intervalLo, intervalHi, intervalMaxHi } = columns;
  let sum = 0;
  for (let i = 0; i < count; i++) hashes[i] = hashAt(at + i);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const product = candidateAt(productSlots, hashes[i]);
    if (product >= 0) products[found++] = product;
  }
  for (let i = 0; i < found; i++) {
    const product = products[i];
    slugs[i] = productSlugStart[product];
    groups[i] = productGroupStart[product];
    sum += productType[product];
  }
  for (let i = 0; i < found; i++) {
    const group = groups[i];
    bounds[i] = groupBoundStart[group];
    intervals[i] = groupIntervalStart[group];
    sum += productSlug[slugs[i]] + groupScheme[group];
  }
  for (let i = 0; i < found; i++) {
    const interval = intervals[i];
    sum += boundPrefix[bounds[i]] + intervalLo[interval] + intervalHi[interval] + intervalMaxHi[interval];
  }
  read[0] = sum;
}
