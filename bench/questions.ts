// What the benches ask: products of a snapshot at versions worth asking about, chosen from the snapshot
// itself, so that the same snapshot always gets the same questions.

import { Dice, mix } from '../src/generator/dice.ts';
import { NONE } from '../src/index/columns.ts';
import type { Generation } from '../src/index/generation.ts';
import { Matches } from '../src/index/lookup/matches.ts';
import { PRODUCT_TYPES, type ProductType } from '../src/index/product-type.ts';
import { endOfSpans, firstSpan } from '../src/index/span-list.ts';
import { match } from '../test/support/answers/verdicts.ts';

const STRIDE = 7_919; // a prime: products are sorted, and neighbours in memory should be queried far apart
const ENOUGH_VERSIONS = 400;
const MOST_VERSIONS = 20; // tried for each lookup of a product
const ZIPF_PRODUCTS = 100_000;
const ZIPF_SEED = 9;

export interface Product {
  readonly ordinal: number;
  readonly type: ProductType;
  readonly name: string;
}

export interface Question {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

/** A question, and how many advisories apply. */
export interface Lookup extends Question {
  readonly count: number;
}

/** Every product with published advisories, in an order unrelated to where it is stored. */
export function* productsOf(generation: Generation): Generator<Product> {
  const { productType, productSlug, productSlugStart } = generation.parts.columns;
  const count = productType.length;
  const stride = count % STRIDE === 0 ? 1 : STRIDE;
  for (let place = 0; place < count; place++) {
    const ordinal = (place * stride) % count;
    if (generation.advisoriesOf(ordinal).length === 0) continue;
    const slug = productSlug.slice(productSlugStart[ordinal], productSlugStart[ordinal + 1]);
    yield { ordinal, type: PRODUCT_TYPES[productType[ordinal]], name: Buffer.from(slug).toString() };
  }
}

/** The spans of an advisory, with null for an open end; `toBound` is a code for `upperBoundOf`. */
export function spansOf(generation: Generation, advisory: number) {
  const { columns } = generation.parts;
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = columns;
  const text = (row: number): string | null => (row === NONE ? null : generation.versionText(row));
  const first = firstSpan(columns, advisory);
  return Array.from({ length: endOfSpans(columns, advisory) - first }, (_, i) => ({
    from: text(spanFrom[first + i]),
    to: text(spanTo[first + i]),
    toBound: spanToBound[first + i],
    fixedIn: text(spanFixedIn[first + i]),
  }));
}

/** The versions at which the product's spans begin and end, each once. */
function versionsOf(generation: Generation, { ordinal }: Product): string[] {
  const versions = new Set<string>();
  for (const advisory of generation.advisoriesOf(ordinal)) {
    for (const { from, to, fixedIn } of spansOf(generation, advisory)) {
      for (const version of [from, to, fixedIn]) if (version !== null) versions.add(version);
    }
    if (versions.size >= ENOUGH_VERSIONS) break;
  }
  return [...versions];
}

/** Lookups that fit, spread over the snapshot: the first `perProduct` of each product, `most` in all. */
export function lookupsWhere(
  generation: Generation,
  fits: (count: number, question: Question) => boolean,
  most: number,
  perProduct = 1,
): Lookup[] {
  const found: Lookup[] = [];
  for (const product of productsOf(generation)) {
    const lookups = [...lookupsOf(generation, product, perProduct * MOST_VERSIONS)];
    found.push(...lookups.filter((lookup) => fits(lookup.count, lookup)).slice(0, perProduct));
    if (found.length >= most) break;
  }
  return found.slice(0, most);
}

/** The lookup with the nearest number of matches. Requires: a product. */
export function lookupNear(generation: Generation, wanted: number): Lookup {
  const off = ({ count }: Lookup): number => Math.abs(count - wanted);
  return lookupsWhere(generation, () => true, Infinity, MOST_VERSIONS).reduce((best, each) =>
    off(each) < off(best) ? each : best,
  );
}

/** Lookups of the product with the most advisories, and how many these are. Requires: a product. */
export function lookupsOfMost(generation: Generation, most: number) {
  const countOf = ({ ordinal }: Product): number => generation.advisoriesOf(ordinal).length;
  const product = [...productsOf(generation)].reduce((best, each) =>
    countOf(each) > countOf(best) ? each : best,
  );
  return { count: countOf(product), lookups: [...lookupsOf(generation, product, most)] };
}

/** A product at each of the versions worth asking about, one at a time. */
function* lookupsOf(generation: Generation, product: Product, most?: number): Generator<Lookup> {
  const matches = new Matches();
  const { type, name } = product;
  for (const version of versionsOf(generation, product).slice(0, most)) {
    if (!match(generation, type, name, version, matches)) continue;
    yield { type, name, version, count: matches.count };
  }
}

/** The product of rank r is asked about 1/r as often as the first. Draws a fraction for each question too. */
export function zipfMix(generation: Generation, count: number): (Question & { readonly fraction: number })[] {
  const dice = new Dice(mix(ZIPF_SEED));
  const products: Product[] = [];
  for (const product of productsOf(generation)) {
    if (products.push(product) === ZIPF_PRODUCTS) break;
  }
  const upTo: number[] = []; // upTo[r]: the weight of ranks 0..r
  for (let rank = 0; rank < products.length; rank++) upTo.push((upTo[rank - 1] ?? 0) + 1 / (rank + 1));
  const total = upTo[upTo.length - 1];
  return Array.from({ length: count }, () => {
    const weight = dice.fraction() * total;
    const product = products[upTo.findIndex((each) => each > weight)];
    const { type, name } = product;
    const versions = versionsOf(generation, product);
    const version = versions.length === 0 ? '1.0.0' : dice.pick(versions);
    return { type, name, version, fraction: dice.fraction() };
  });
}
