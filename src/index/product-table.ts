// (type, slug) to product: an open-addressing hash table over the product columns. The table is derived from
// the columns when a generation is made and never stored; it holds product + 1 in each used slot.

import type { IndexColumns } from './columns.ts';

/** Longest slug, in bytes of UTF-8. */
export const MAX_SLUG_BYTES = 256;
const SLUG_SCRATCH = new Uint8Array(4096); // slugs have at most 256 bytes; a longer query finds nothing
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const utf8 = new TextEncoder();

/** A table at most half full, in shared memory. */
export function buildProductSlots(columns: IndexColumns): Uint32Array {
  const { productType, productSlug, productSlugStart } = columns;
  let size = 4;
  while (size < productType.length * 2) size *= 2;
  const slots = new Uint32Array(new SharedArrayBuffer(size * 4));
  const mask = size - 1;
  for (let product = 0; product < productType.length; product++) {
    const hash = hashSlug(
      productType[product],
      productSlug,
      productSlugStart[product],
      productSlugStart[product + 1],
    );
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = product + 1;
  }
  return slots;
}

/** The row of the product with this slug, or with its lower-case form, or undefined. Compares bytes. */
export function findProduct(
  columns: IndexColumns,
  slots: Uint32Array,
  typeCode: number,
  slug: string,
  casing: 'as-is' | 'lower',
): number | undefined {
  const length = writeSlug(slug, casing === 'lower');
  if (length < 0) return undefined;
  const { productType, productSlug, productSlugStart } = columns;
  const mask = slots.length - 1;
  let slot = hashSlug(typeCode, SLUG_SCRATCH, 0, length) & mask;
  for (;;) {
    const entry = slots[slot];
    if (entry === 0) return undefined;
    const product = entry - 1;
    const start = productSlugStart[product];
    if (
      productType[product] === typeCode &&
      productSlugStart[product + 1] - start === length &&
      equalsScratch(productSlug, start, length)
    ) {
      return product;
    }
    slot = (slot + 1) & mask;
  }
}

/** Puts the slug's UTF-8 bytes into the scratch; returns their number, or -1 when they do not fit. */
function writeSlug(slug: string, lowers: boolean): number {
  if (slug.length * 3 > SLUG_SCRATCH.length) return -1;
  for (let i = 0; i < slug.length; i++) {
    const code = slug.charCodeAt(i);
    if (code > 0x7f) return utf8.encodeInto(lowers ? slug.toLowerCase() : slug, SLUG_SCRATCH).written;
    // Letter by letter: the string in lower case would cost as much as the search.
    SLUG_SCRATCH[i] = lowers && code >= UPPER_A && code <= UPPER_Z ? code + TO_LOWER : code;
  }
  return slug.length;
}

function equalsScratch(bytes: Uint8Array, start: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[start + i] !== SLUG_SCRATCH[i]) return false;
  return true;
}

/** FNV-1a over the type code and the bytes, folded once so that the low bits depend on all of them. */
function hashSlug(typeCode: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = Math.imul(0x811c9dc5 ^ typeCode, 0x01000193);
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
