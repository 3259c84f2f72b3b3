// What requests ask about, for an access log that names products: the parts that dialects share.

import type { AskedProducts } from '../http/asked-products.ts';
import type { AskedByPath } from '../http/dialect.ts';
import type { Steps } from '../http/work/steps.ts';
import { ANY_VERSION } from '../index/lookup/lookup.ts';
import type { ProductType } from '../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../index/versions/version-key.ts';
import { type BatchForm, readBatch } from './batch-request.ts';
import { packageUrl } from './package-url.ts';
import { MAX_NAME_BYTES } from './path-part.ts';
import { readProduct } from './product-path.ts';

const CORE = 'wordpress';
/** Added without a pause. */
const PRODUCTS_AT_ONCE = 256;

/** Counts it only if no product can have the name, or if there are enough. */
export function addAsked(products: AskedProducts, type: ProductType, name: string, version: string): void {
  const isLong = name.length > MAX_NAME_BYTES || version.length > MAX_VERSION_BYTES;
  if (products.isFull || isLong || name === '') products.leaveOut();
  else products.add(packageUrl(type, name, version === ANY_VERSION ? '' : version));
}

/** A name of WordPress alone, which may be that of a plugin and of a theme: both are asked about. */
export function addAskedSlug(products: AskedProducts, slug: string, version: string): void {
  if (slug.toLowerCase() === CORE) addAsked(products, CORE, CORE, version);
  else for (const type of ['plugin', 'theme'] as const) addAsked(products, type, slug, version);
}

/** Of a path `{type}/{name}/{version}`. */
export const askedByPath: AskedByPath = (parts, products) => {
  const lookup = readProduct(parts, []);
  if (lookup !== undefined) addAsked(products, lookup.type, lookup.name, lookup.version);
};

/** Of a batch of this form. */
export function* askedByBatch<Type extends ProductType | undefined>(
  body: Uint8Array,
  products: AskedProducts,
  form: BatchForm<Type>,
): Steps<void> {
  const read = yield* readBatch(body, form);
  if (read.kind === 'problem') return;
  for (const { type, name, version } of read.items) {
    if (type === undefined) addAskedSlug(products, name, version);
    else addAsked(products, type, name, version);
  }
}

/** Pauses after every so many. */
export function mayPause(count: number): boolean {
  return count % PRODUCTS_AT_ONCE === PRODUCTS_AT_ONCE - 1;
}
