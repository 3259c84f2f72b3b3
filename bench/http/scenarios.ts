// What clients request, chosen from the snapshot itself: the same snapshot gives the same requests.

import { encodeCursor } from '../../src/dialects/patchstack/cursor.ts';
import { etagOf } from '../../src/dialects/patchstack/etag.ts';
import { Dice, mix } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import { match } from '../../test/support/verdicts.ts';
import { type Product, productsOf, versionsOf } from './catalogue.ts';
import type { BenchRequest, Scenario } from './requests.ts';

export const SCENARIO_NAMES = [
  'exists-hit',
  'exists-miss',
  'product-1',
  'product-3',
  'product-60',
  'all-100',
  'all-500',
  'all-100-details',
  'all-500-details',
  'cursor-deep',
  'offset-deep',
  'vulnerability',
  'batch-exists',
  'batch-full',
  '304',
  '401',
  'zipf',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

const MANY = 512; // requests of a scenario whose reply does not depend on the product
const SOME = 64; // and of one whose replies differ, so that every baseline can store them
const BATCHES = 8;
const BATCH_ITEMS = 50;
const DEEP = 0.9; // of the listing
const ZIPF_REQUESTS = 4_096;
const ZIPF_PRODUCTS = 100_000;
const ZIPF_SEED = 9;
const MOST_VERSIONS = 20; // tried per product, except for the one with many matches

/** A version that a product can be asked about, and how many advisories apply to it. */
interface Lookup {
  readonly product: Product;
  readonly version: string;
  readonly count: number;
}

/** The scenario of that name over this snapshot. Throws if the snapshot lacks a product that it needs. */
export function makeScenario(name: ScenarioName, generation: Generation, key: string): Scenario {
  const headers = { PSKey: key };
  const get = (path: string): BenchRequest => ({ method: 'GET', path, headers });
  const scenario = (title: string, requests: readonly BenchRequest[], status = 200): Scenario => {
    if (requests.length === 0) throw new Error(`${name}: the snapshot has no product for it; make it larger`);
    return { name, title, requests, status };
  };
  const exists = (lookups: readonly Lookup[]): BenchRequest[] =>
    lookups.map((lookup) => get(`${productPath(lookup)}/exists`));
  const products = (lookups: readonly Lookup[]): BenchRequest[] =>
    lookups.map((lookup) => get(productPath(lookup)));
  const { start, end } = generation.published('wordpress');
  const deep = Math.floor((end - start) * DEEP);

  switch (name) {
    case 'exists-hit':
      return scenario('exists, affected', exists(lookupsWhere(generation, (count) => count > 0, MANY)));
    case 'exists-miss':
      return scenario('exists, not affected', exists(lookupsWhere(generation, (count) => count === 0, MANY)));
    case 'product-1':
      return scenario('product, 1 match', products(lookupsWhere(generation, (count) => count === 1, SOME)));
    case 'product-3':
      return scenario('product, 3 matches', products(lookupsWhere(generation, (count) => count === 3, SOME)));
    case 'product-60': {
      const lookup = lookupNear(generation, 60);
      return scenario(`product, ${lookup.count} matches`, products([lookup]));
    }
    case 'all-100':
      return scenario('all, page of 100', [get('/all?per_page=100')]);
    case 'all-500':
      return scenario('all, page of 500', [get('/all?per_page=500')]);
    case 'all-100-details':
      return scenario('all, page of 100, details', [get('/all?per_page=100&include=details')]);
    case 'all-500-details':
      return scenario('all, page of 500, details', [get('/all?per_page=500&include=details')]);
    case 'cursor-deep': {
      const cursor = encodeCursor(generation.idAt(start + deep));
      return scenario('all, page of 100 by a deep cursor', [get(`/all?per_page=100&cursor=${cursor}`)]);
    }
    case 'offset-deep':
      return scenario('all, page of 100 by a deep offset', [
        get(`/all?per_page=100&page=${Math.max(1, Math.floor(deep / 100))}`),
      ]);
    case 'vulnerability':
      return scenario(
        'vulnerability by id',
        Array.from({ length: SOME }, (_, i) =>
          get(`/vulnerability/${generation.idAt(start + Math.floor(((end - start) * i) / SOME))}`),
        ),
      );
    case 'batch-exists':
    case 'batch-full': {
      const isExists = name === 'batch-exists';
      const lookups = lookupsWhere(generation, () => true, BATCHES * BATCH_ITEMS);
      const bodies = Array.from({ length: Math.floor(lookups.length / BATCH_ITEMS) }, (_, batch) =>
        lookups.slice(batch * BATCH_ITEMS, (batch + 1) * BATCH_ITEMS).map(({ product, version }) => ({
          type: product.type,
          name: product.slug,
          version,
          ...(isExists ? { exists: true } : {}),
        })),
      );
      return scenario(
        isExists ? 'batch of 50, exists' : 'batch of 50, full',
        bodies.map((items) => ({
          method: 'POST',
          path: '/batch',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(items),
        })),
      );
    }
    case '304':
      return scenario(
        'all, page of 100, not modified',
        [{ ...get('/all?per_page=100'), headers: { ...headers, 'If-None-Match': etagOf(generation) } }],
        304,
      );
    case '401':
      return scenario(
        'exists without a key',
        exists(lookupsWhere(generation, (count) => count > 0, 1)).map((request) => ({
          ...request,
          headers: {},
        })),
        401,
      );
    case 'zipf':
      return scenario('mix of lookups, products by Zipf', zipf(generation, get));
  }
}

/** Up to `most` products at the first version that fits, spread over the snapshot. */
function lookupsWhere(generation: Generation, fits: (count: number) => boolean, most: number): Lookup[] {
  const found: Lookup[] = [];
  const matches = new Matches();
  for (const product of productsOf(generation)) {
    for (const version of versionsOf(generation, product).slice(0, MOST_VERSIONS)) {
      if (!match(generation, product.type, product.slug, version, matches) || !fits(matches.count)) continue;
      found.push({ product, version, count: matches.count });
      break;
    }
    if (found.length === most) break;
  }
  return found;
}

/** The lookup with the nearest number of matches. */
function lookupNear(generation: Generation, wanted: number): Lookup {
  let nearest: Lookup | undefined;
  const matches = new Matches();
  for (const product of productsOf(generation)) {
    if (nearest !== undefined && product.advisoryCount < nearest.count) continue;
    for (const version of versionsOf(generation, product)) {
      if (!match(generation, product.type, product.slug, version, matches)) continue;
      const { count } = matches;
      if (nearest === undefined || Math.abs(count - wanted) < Math.abs(nearest.count - wanted)) {
        nearest = { product, version, count };
      }
    }
    if (nearest?.count === wanted) break;
  }
  if (nearest === undefined) throw new Error('the snapshot has no products');
  return nearest;
}

/** Six in ten request exists, the others the advisories; rank r is requested 1/r as often as the first. */
function zipf(generation: Generation, get: (path: string) => BenchRequest): BenchRequest[] {
  const dice = new Dice(mix(ZIPF_SEED));
  const products: Product[] = [];
  for (const product of productsOf(generation)) {
    if (products.push(product) === ZIPF_PRODUCTS) break;
  }
  const upTo: number[] = []; // upTo[r]: the weight of ranks 0..r
  for (let rank = 0; rank < products.length; rank++) upTo.push((upTo[rank - 1] ?? 0) + 1 / (rank + 1));
  const total = upTo[upTo.length - 1];
  return Array.from({ length: ZIPF_REQUESTS }, () => {
    const weight = dice.fraction() * total;
    const product = products[upTo.findIndex((each) => each > weight)];
    const versions = versionsOf(generation, product);
    const version = versions.length === 0 ? '1.0.0' : versions[Math.floor(dice.fraction() * versions.length)];
    const path = productPath({ product, version });
    return get(dice.fraction() < 0.6 ? `${path}/exists` : path);
  });
}

function productPath({ product, version }: Pick<Lookup, 'product' | 'version'>): string {
  return `/product/${product.type}/${encodeURIComponent(product.slug)}/${encodeURIComponent(version)}`;
}
