// What clients request, chosen from the snapshot itself: the same snapshot gives the same requests.

import { encodeCursor } from '../src/dialects/patchstack/cursor.ts';
import { etagOf } from '../src/dialects/patchstack/etag.ts';
import type { Generation } from '../src/index/generation.ts';
import { type Lookup, lookupNear, lookupsWhere, type Question, zipfMix } from './questions.ts';

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
const EXISTS_SHARE = 0.6; // of them

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Scenario {
  readonly name: string;
  /** What is requested, for a reader of the table. */
  readonly title: string;
  /** Sent in this order, repeatedly. */
  readonly requests: readonly BenchRequest[];
  /** The status that every request must get. */
  readonly status: number;
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
    lookups.map((lookup) => get(productPath(lookup, '/exists')));
  const products = (lookups: readonly Lookup[]): BenchRequest[] =>
    lookups.map((lookup) => get(productPath(lookup)));
  const where = (fits: (count: number) => boolean, most: number): Lookup[] =>
    lookupsWhere(generation, fits, most);
  const page = (title: string, query: string): Scenario =>
    scenario(`all, page of ${title}`, [get(`/all?per_page=${query}`)]);
  const { start, end } = generation.published('wordpress');
  const deep = Math.floor((end - start) * DEEP);

  switch (name) {
    case 'exists-hit':
      return scenario('exists, affected', exists(where((count) => count > 0, MANY)));
    case 'exists-miss':
      return scenario('exists, not affected', exists(where((count) => count === 0, MANY)));
    case 'product-1':
      return scenario('product, 1 match', products(where((count) => count === 1, SOME)));
    case 'product-3':
      return scenario('product, 3 matches', products(where((count) => count === 3, SOME)));
    case 'product-60': {
      const lookup = lookupNear(generation, 60);
      return scenario(`product, ${lookup.count} matches`, products([lookup]));
    }
    case 'all-100':
      return page('100', '100');
    case 'all-500':
      return page('500', '500');
    case 'all-100-details':
      return page('100, details', '100&include=details');
    case 'all-500-details':
      return page('500, details', '500&include=details');
    case 'cursor-deep':
      return page('100 by a deep cursor', `100&cursor=${encodeCursor(generation.idAt(start + deep))}`);
    case 'offset-deep':
      return page('100 by a deep offset', `100&page=${Math.max(1, Math.floor(deep / 100))}`);
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
      const items = where(() => true, BATCHES * BATCH_ITEMS).map(({ type, name, version }) =>
        isExists ? { type, name, version, exists: true } : { type, name, version },
      );
      const bodies = Array.from({ length: Math.floor(items.length / BATCH_ITEMS) }, (_, batch) =>
        items.slice(batch * BATCH_ITEMS, (batch + 1) * BATCH_ITEMS),
      );
      return scenario(
        isExists ? 'batch of 50, exists' : 'batch of 50, full',
        bodies.map((body) => ({
          method: 'POST',
          path: '/batch',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
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
        exists(where((count) => count > 0, 1)).map((request) => ({ ...request, headers: {} })),
        401,
      );
    case 'zipf':
      return scenario(
        'mix of lookups, products by Zipf',
        zipfMix(generation, ZIPF_REQUESTS).map((question) =>
          get(productPath(question, question.fraction < EXISTS_SHARE ? '/exists' : '')),
        ),
      );
  }
}

/** The path of a product question; `suffix` is `/exists` or empty. */
function productPath({ type, name, version }: Question, suffix = ''): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}${suffix}`;
}
