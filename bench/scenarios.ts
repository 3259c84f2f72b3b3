// What clients request, chosen from the snapshot itself: the same snapshot gives the same requests.

import { encodeCursor } from '../src/dialects/patchstack/cursor.ts';
import { etagOf } from '../src/dialects/patchstack/etag.ts';
import type { Generation } from '../src/index/generation.ts';
import { DIALECT_SCENARIO_NAMES, isDialectScenario, makeDialectScenario } from './dialect-scenarios.ts';
import { lookupNear, lookupsWhere, zipfMix } from './questions.ts';
import { type BenchRequest, productPath, type Scenario, type Suffix } from './scenario.ts';

const CONTRACT_NAMES = [
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
type ContractName = (typeof CONTRACT_NAMES)[number];

export const SCENARIO_NAMES = [...CONTRACT_NAMES, ...DIALECT_SCENARIO_NAMES] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

const MANY = 512; // requests of a scenario whose reply does not depend on the product
const SOME = 64; // and of one whose replies differ, so that every baseline can store them
const BATCHES = 8;
const BATCH_ITEMS = 50;
const DEEP = 0.9; // of the listing
const ZIPF_REQUESTS = 4_096;
const EXISTS_SHARE = 0.6; // of them

/** The scenario of that name over this snapshot. Throws if the snapshot lacks a product that it needs. */
export function makeScenario(name: ScenarioName, generation: Generation, key: string): Scenario {
  return isDialectScenario(name)
    ? makeDialectScenario(name, generation, key)
    : makeContractScenario(name, generation, key);
}

function makeContractScenario(name: ContractName, generation: Generation, key: string): Scenario {
  const get = (path: string, headers: BenchRequest['headers'] = {}): BenchRequest => ({
    method: 'GET',
    path,
    headers: { PSKey: key, ...headers },
  });
  const scenario = (title: string, requests: readonly BenchRequest[], status = 200): Scenario => {
    if (requests.length === 0) throw new Error(`${name}: the snapshot has no product for it; make it larger`);
    return { name, title, requests, status };
  };
  const ask = (title: string, suffix: Suffix, most: number, fits: (count: number) => boolean): Scenario => {
    const lookups = lookupsWhere(generation, fits, most);
    const requests = lookups.map((lookup) => get(productPath(lookup, suffix)));
    return scenario(title, requests);
  };
  const page = (title: string, query: string): Scenario =>
    scenario(`all, page of ${title}`, [get(`/all?per_page=${query}`)]);
  const { start, end } = generation.published('wordpress');
  const deep = Math.floor((end - start) * DEEP);

  switch (name) {
    case 'exists-hit':
      return ask('exists, affected', '/exists', MANY, (count) => count > 0);
    case 'exists-miss':
      return ask('exists, not affected', '/exists', MANY, (count) => count === 0);
    case 'product-1':
      return ask('product, 1 match', '', SOME, (count) => count === 1);
    case 'product-3':
      return ask('product, 3 matches', '', SOME, (count) => count === 3);
    case 'product-60': {
      const lookup = lookupNear(generation, 60);
      return scenario(`product, ${lookup.count} matches`, [get(productPath(lookup))]);
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
    case 'vulnerability': {
      const ordinals = Array.from({ length: SOME }, (_, i) => start + Math.floor(((end - start) * i) / SOME));
      const requests = ordinals.map((ordinal) => get(`/vulnerability/${generation.idAt(ordinal)}`));
      return scenario('vulnerability by id', requests);
    }
    case 'batch-exists':
    case 'batch-full': {
      const members = name === 'batch-exists' ? { exists: true } : {};
      const lookups = lookupsWhere(generation, () => true, BATCHES * BATCH_ITEMS);
      const items = lookups.map(({ count: _, ...question }) => ({ ...question, ...members }));
      const requests = Array.from({ length: items.length / BATCH_ITEMS }, (_, i): BenchRequest => {
        const body = JSON.stringify(items.slice(i * BATCH_ITEMS, (i + 1) * BATCH_ITEMS));
        return { ...get('/batch', { 'Content-Type': 'application/json' }), method: 'POST', body };
      });
      return scenario(`batch of 50, ${name === 'batch-exists' ? 'exists' : 'full'}`, requests);
    }
    case '304': {
      const request = get('/all?per_page=100', { 'If-None-Match': etagOf(generation) });
      return scenario('all, page of 100, not modified', [request], 304);
    }
    case '401': {
      const [request] = ask('exists', '/exists', 1, (count) => count > 0).requests;
      return scenario('exists without a key', [{ ...request, headers: {} }], 401);
    }
    case 'zipf': {
      const questions = zipfMix(generation, ZIPF_REQUESTS);
      const requests = questions.map((each) =>
        get(productPath(each, each.fraction < EXISTS_SHARE ? '/exists' : '')),
      );
      return scenario('mix of lookups, products by Zipf', requests);
    }
  }
}
