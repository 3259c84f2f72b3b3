// (type, slug) to product: an open-addressing hash table over the product columns. It is derived from the
// columns when a generation is made and never stored. In shared memory the hash keys come first:
//
//     keys: one for the type, one for each byte of a slug | slots: product + 1, or 0 if free
//     0                                          KEY_COUNT
//
// A table of 2^n slots is at most half full, so n bits hold a product: the others are those of its hash that
// the place of the slot does not tell. Most slots of other products are passed over by them.
//
// A second table has the products of the types with a loose fold, by their folded slugs: slots alone, since
// the keys are the same, and without bits of the hash. A fold that several products have leads to none.

import type { IndexColumns } from '../columns.ts';
import {
  asPublished,
  lowerCase,
  PRODUCT_TYPE_TABLE,
  type ProductTypeFacts,
  type SlugFold,
} from '../product-type.ts';
import { slugStartIn, typeIn } from './product-rows.ts';

/** The columns of the products, and what is made from them. */
export interface ProductTables {
  readonly columns: IndexColumns;
  readonly productRows: Uint32Array;
  readonly productSlots: Uint32Array;
  readonly looseSlots: Uint32Array;
}

/** Longest slug, in bytes of UTF-8. */
export const MAX_SLUG_BYTES = 256;
const KEY_COUNT = 1 + MAX_SLUG_BYTES;
const MAX_UTF8_BYTES = 3; // per UTF-16 unit
const SLUG_SCRATCH = new Uint8Array(MAX_SLUG_BYTES * MAX_UTF8_BYTES);
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
/** In a slot of the loose table: other products have the fold too. Product numbers stay below. */
const SHARED = 0x80000000;
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
  const size = tableSize(productType.length);
  const table = new Uint32Array(new SharedArrayBuffer((KEY_COUNT + size) * 4));
  const keys = new Uint32Array(KEY_COUNT);
  randomWords(keys);
  table.set(keys);
  const mask = size - 1;
  for (let product = 0; product < productType.length; product++) {
    const start = productSlugStart[product];
    const length = productSlugStart[product + 1] - start;
    const hash = hashSlug(table, productType[product], productSlug, start, length);
    let slot = hash & mask;
    while (table[KEY_COUNT + slot] !== 0) slot = (slot + 1) & mask;
    table[KEY_COUNT + slot] = (hash & ~mask) | (product + 1);
  }
  return table;
}

/** The table of folded slugs, at most half full. `table` is that of slugs, whose keys it uses. */
export function buildLooseSlots(columns: IndexColumns, table: Uint32Array): Uint32Array {
  const { productType, productSlug, productSlugStart } = columns;
  let count = 0;
  for (const type of productType) if (PRODUCT_TYPE_TABLE[type].looseFold !== null) count++;
  const slots = new Uint32Array(new SharedArrayBuffer(tableSize(count) * 4));
  for (let product = 0; product < productType.length; product++) {
    const facts = PRODUCT_TYPE_TABLE[productType[product]];
    if (facts.looseFold === null) continue;
    const start = productSlugStart[product];
    const length = productSlugStart[product + 1] - start;
    for (let i = 0; i < length; i++) SLUG_SCRATCH[i] = productSlug[start + i];
    const slot = looseSlot({ columns, productSlots: table, looseSlots: slots }, facts, length);
    slots[slot] = slots[slot] === 0 ? product + 1 : slots[slot] | SHARED;
  }
  return slots;
}

function tableSize(count: number): number {
  let size = 4;
  while (size < count * 2) size *= 2;
  return size;
}

/**
 * The row of the product that a name means, or undefined. Tries each of the type's spellings: WordPress slugs
 * match in any case; npm names as given, then lower-cased. Then the type's loose fold.
 */
export function findProduct(
  tables: ProductTables,
  facts: ProductTypeFacts,
  name: string,
): number | undefined {
  const { code, slugFolds, looseFold } = facts;
  for (let i = 0; i < slugFolds.length; i++) {
    const fold = slugFolds[i];
    if (i > 0 && fold(name) === name) continue;
    const product = findFolded(tables, code, name, fold);
    if (product !== undefined) return product;
  }
  return looseFold === null ? undefined : findLoose(tables, facts, name);
}

/** The row of the only product whose slug has the loose fold of the name, or undefined. */
function findLoose(tables: ProductTables, facts: ProductTypeFacts, name: string): number | undefined {
  const length = writeSlug(name, false);
  if (length < 0) return undefined;
  const entry = tables.looseSlots[looseSlot(tables, facts, length)];
  return entry === 0 || entry >= SHARED ? undefined : entry - 1;
}

/** The slot of the slug in the scratch, which is folded there, or the free one where it would be. */
function looseSlot(
  tables: Omit<ProductTables, 'productRows'>,
  { code, looseFold }: ProductTypeFacts,
  length: number,
): number {
  const { columns, productSlots, looseSlots } = tables;
  const { productType, productSlug, productSlugStart } = columns;
  const fold = looseFold!; // the caller has checked that the type has one
  for (let i = 0; i < length; i++) SLUG_SCRATCH[i] = fold[SLUG_SCRATCH[i]];
  const mask = looseSlots.length - 1;
  let slot = hashSlug(productSlots, code, SLUG_SCRATCH, 0, length) & mask;
  for (; looseSlots[slot] !== 0; slot = (slot + 1) & mask) {
    const product = (looseSlots[slot] & ~SHARED) - 1;
    const start = productSlugStart[product];
    if (productType[product] !== code || productSlugStart[product + 1] - start !== length) continue;
    let same = 0;
    while (same < length && fold[productSlug[start + same]] === SLUG_SCRATCH[same]) same++;
    if (same === length) break;
  }
  return slot;
}

/** The row of the product whose slug is the folded name, or undefined. Compares bytes. */
export function findFolded(
  tables: ProductTables,
  typeCode: number,
  name: string,
  fold: SlugFold,
): number | undefined {
  const isLower = fold === lowerCase;
  const length = writeSlug(isLower || fold === asPublished ? name : fold(name), isLower);
  if (length < 0) return undefined;
  const hash = hashSlug(tables.productSlots, typeCode, SLUG_SCRATCH, 0, length);
  return findHashed(tables, typeCode, hash, SLUG_SCRATCH, 0, length);
}

/**
 * The row of the product that a name means, given as bytes of ASCII at [start, end), or undefined. For many
 * names in one body: a string for each, and its characters one by one, would take longer than the search.
 */
export function findAscii(
  tables: ProductTables,
  facts: ProductTypeFacts,
  bytes: Uint8Array,
  start: number,
  end: number,
): number | undefined {
  const length = end - start;
  if (length > MAX_SLUG_BYTES) return undefined;
  const { productSlots } = tables;
  const { slugFolds, looseFold, code } = facts;
  let isLower = true;
  let sum = beginHash(productSlots, code);
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i];
    if (byte >= UPPER_A && byte <= UPPER_Z) isLower = false;
    sum = addToHash(productSlots, sum, i, byte);
  }
  if (slugFolds[0] === asPublished || (isLower && slugFolds[0] === lowerCase)) {
    const product = findHashed(tables, code, mixed(sum), bytes, start, length);
    if (product !== undefined) return product;
    // Most names are unknown, and in lower case. Then these folds change nothing.
    const isFolded = isLower && slugFolds.every((fold) => fold === asPublished || fold === lowerCase);
    if (isFolded && looseFold === null) return undefined;
  }
  return findProduct(tables, facts, String.fromCharCode(...bytes.subarray(start, end)));
}

/** What a name's slug hashes to, if its fold is the plain one or lower case. */
export function hashOfName({ productSlots }: ProductTables, facts: ProductTypeFacts, name: string): number {
  const length = writeSlug(name, facts.slugFolds[0] === lowerCase);
  return hashSlug(productSlots, facts.code, SLUG_SCRATCH, 0, Math.max(length, 0));
}

/** The same of a name that is bytes[start..end), in lower case. */
export function hashOfAscii(
  { productSlots }: ProductTables,
  { code }: ProductTypeFacts,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  return hashSlug(productSlots, code, bytes, start, Math.min(end - start, MAX_SLUG_BYTES));
}

/** The first product that may have the hash, or -1. */
export function candidateAt(table: Uint32Array, hash: number): number {
  const mask = table.length - KEY_COUNT - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const entry = table[KEY_COUNT + slot];
    if (entry === 0 || ((entry ^ hash) & ~mask) === 0) return (entry & mask) - 1;
  }
}

/** The row of the product whose slug is `length` bytes from `from` on, or undefined. */
function findHashed(
  { columns, productRows, productSlots }: ProductTables,
  typeCode: number,
  hash: number,
  bytes: Uint8Array,
  from: number,
  length: number,
): number | undefined {
  const { productSlug } = columns;
  const mask = productSlots.length - KEY_COUNT - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const entry = productSlots[KEY_COUNT + slot];
    if (entry === 0) return undefined;
    if (((entry ^ hash) & ~mask) !== 0) continue;
    const product = (entry & mask) - 1;
    const start = slugStartIn(productRows, product);
    if (
      typeIn(productRows, product) === typeCode &&
      slugStartIn(productRows, product + 1) - start === length &&
      isSame(productSlug, start, bytes, from, length)
    ) {
      return product;
    }
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

function isSame(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aStart + i] !== b[bStart + i]) return false;
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
  let sum = beginHash(keys, typeCode);
  for (let i = 0; i < length; i++) sum = addToHash(keys, sum, i, bytes[start + i]);
  return mixed(sum);
}

function beginHash(keys: Uint32Array, typeCode: number): number {
  return Math.imul(keys[0], typeCode + 1);
}

function addToHash(keys: Uint32Array, sum: number, place: number, byte: number): number {
  return (sum + Math.imul(keys[place + 1], byte + 1)) | 0;
}

function mixed(sum: number): number {
  let hash = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
