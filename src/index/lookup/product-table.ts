// (type, slug) to product: an open-addressing hash table over the product columns. It is derived from the
// columns when a generation is made and never stored. In shared memory the hash keys come first:
//
//     keys: one for the type, one for each byte of a slug | slots: product + 1, or 0 if free
//     0                                          KEY_COUNT

import type { IndexColumns } from '../columns.ts';
import { asPublished, lowerCase, type ProductTypeFacts, type SlugFold } from '../product-type.ts';

/** Longest slug, in bytes of UTF-8. */
export const MAX_SLUG_BYTES = 256;
const KEY_COUNT = 1 + MAX_SLUG_BYTES;
const MAX_UTF8_BYTES = 3; // per UTF-16 unit
const SLUG_SCRATCH = new Uint8Array(MAX_SLUG_BYTES * MAX_UTF8_BYTES);
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const utf8 = new TextEncoder();

/**
 * A table at most half full, with its hash keys. `randomWords` fills an array with numbers that the author of
 * the slugs cannot know. Requires: no slug is longer than MAX_SLUG_BYTES.
 */
export function buildProductSlots(
  columns: IndexColumns,
  randomWords: (words: Uint32Array) => void,
): Uint32Array {
  const { productType, productSlug, productSlugStart } = columns;
  let size = 4;
  while (size < productType.length * 2) size *= 2;
  const table = new Uint32Array(new SharedArrayBuffer((KEY_COUNT + size) * 4));
  const keys = new Uint32Array(KEY_COUNT);
  randomWords(keys);
  table.set(keys);
  const mask = size - 1;
  for (let product = 0; product < productType.length; product++) {
    const start = productSlugStart[product];
    const length = productSlugStart[product + 1] - start;
    let slot = hashSlug(table, productType[product], productSlug, start, length) & mask;
    while (table[KEY_COUNT + slot] !== 0) slot = (slot + 1) & mask;
    table[KEY_COUNT + slot] = product + 1;
  }
  return table;
}

/**
 * The row of the product that a name means, or undefined. Tries each of the type's spellings: WordPress slugs
 * match in any case; npm names as given, then lower-cased.
 */
export function findProduct(
  columns: IndexColumns,
  table: Uint32Array,
  { code, slugFolds }: ProductTypeFacts,
  name: string,
): number | undefined {
  for (let i = 0; i < slugFolds.length; i++) {
    const fold = slugFolds[i];
    if (i > 0 && fold(name) === name) continue;
    const product = findFolded(columns, table, code, name, fold);
    if (product !== undefined) return product;
  }
  return undefined;
}

/** The row of the product whose slug is the folded name, or undefined. Compares bytes. */
export function findFolded(
  columns: IndexColumns,
  table: Uint32Array,
  typeCode: number,
  name: string,
  fold: SlugFold,
): number | undefined {
  const isLower = fold === lowerCase;
  const length = writeSlug(isLower || fold === asPublished ? name : fold(name), isLower);
  return length < 0 ? undefined : findScratch(columns, table, typeCode, length);
}

/**
 * The row of the product that a name means, given as bytes of ASCII at [start, end), or undefined. For many
 * names in one body: a string for each, and its characters one by one, would take longer than the search.
 */
export function findAscii(
  columns: IndexColumns,
  table: Uint32Array,
  facts: ProductTypeFacts,
  bytes: Uint8Array,
  start: number,
  end: number,
): number | undefined {
  const length = end - start;
  if (length > MAX_SLUG_BYTES) return undefined;
  let isFolded = facts.slugFolds.every((fold) => fold === asPublished || fold === lowerCase);
  for (let i = 0; i < length; i++) {
    const code = bytes[start + i];
    if (code >= UPPER_A && code <= UPPER_Z) isFolded = false;
    SLUG_SCRATCH[i] = code;
  }
  if (isFolded) return findScratch(columns, table, facts.code, length);
  return findProduct(columns, table, facts, String.fromCharCode(...bytes.subarray(start, end)));
}

/** The row of the product whose slug is the first bytes of the scratch, or undefined. */
function findScratch(
  columns: IndexColumns,
  table: Uint32Array,
  typeCode: number,
  length: number,
): number | undefined {
  const { productType, productSlug, productSlugStart } = columns;
  const mask = table.length - KEY_COUNT - 1;
  let slot = hashSlug(table, typeCode, SLUG_SCRATCH, 0, length) & mask;
  for (;;) {
    const entry = table[KEY_COUNT + slot];
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

/**
 * Writes the slug's UTF-8 bytes into the scratch; returns their number, or -1 if it is longer than any slug.
 */
function writeSlug(slug: string, lowers: boolean): number {
  if (slug.length > MAX_SLUG_BYTES) return -1;
  for (let i = 0; i < slug.length; i++) {
    const code = slug.charCodeAt(i);
    if (code > 0x7f) return writeUtf8(lowers ? slug.toLowerCase() : slug);
    // Letter by letter: lower-casing the string would cost as much as the search.
    SLUG_SCRATCH[i] = lowers && code >= UPPER_A && code <= UPPER_Z ? code + TO_LOWER : code;
  }
  return slug.length;
}

/** Same for any text. What does not fit into the scratch is too long for a slug anyway. */
function writeUtf8(slug: string): number {
  const { read, written } = utf8.encodeInto(slug, SLUG_SCRATCH);
  return read < slug.length || written > MAX_SLUG_BYTES ? -1 : written;
}

function equalsScratch(bytes: Uint8Array, start: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[start + i] !== SLUG_SCRATCH[i]) return false;
  return true;
}

/**
 * The sum of the type and each byte, each times a secret key: different slugs collide only by chance, even if
 * an attacker chose them. Then mixed, so that similar slugs do not become neighbours. Each byte counts plus
 * 1, since a trailing zero would otherwise add nothing.
 */
function hashSlug(
  keys: Uint32Array,
  typeCode: number,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  let hash = Math.imul(keys[0], typeCode + 1);
  for (let i = 0; i < length; i++) hash = (hash + Math.imul(keys[i + 1], bytes[start + i] + 1)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
