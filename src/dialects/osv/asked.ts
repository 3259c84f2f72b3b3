// What queries ask about, for an access log that names products: those of ecosystems that are held.

import type { AskedProducts } from '../../http/asked-products.ts';
import type { Steps } from '../../http/work/steps.ts';
import { addAsked, addAskedSlug, mayPause } from '../asked-products.ts';
import { parseBody } from './body.ts';
import { productNamed } from './ecosystems.ts';
import type { PackageQuery } from './matcher.ts';
import { readQueries } from './querybatch.ts';
import { readQuery } from './read-query.ts';

export function* askedByQuery(body: Uint8Array, products: AskedProducts): Steps<void> {
  const parsed = yield* parseBody(body);
  if (parsed.kind !== 'bad') addQuery(parsed.value, products);
}

export function* askedByQueryBatch(body: Uint8Array, products: AskedProducts): Steps<void> {
  const read = yield* readQueries(body);
  if (read.kind === 'bad') return;
  for (const [i, value] of read.list.entries()) {
    addQuery(value, products);
    if (mayPause(i)) yield;
  }
}

function addQuery(value: unknown, products: AskedProducts): void {
  const query = readQuery(value);
  if (query.kind === 'package') addPackage(query, products);
}

/** What a query means in each of its ecosystems. */
export function addPackage(query: PackageQuery, products: AskedProducts): void {
  for (const ecosystem of query.ecosystems) {
    const named = productNamed(ecosystem, query.suffix, query.name);
    if (named.kind === 'product') {
      const { type, name } = named.product;
      addAsked(products, type, name, query.version);
    } else if (named.kind === 'bare') addAskedSlug(products, named.slug, query.version);
  }
}
