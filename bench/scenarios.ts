// What clients request, chosen from the snapshot itself: the same snapshot gives the same requests.

import { gzipSync } from 'node:zlib';
import { etags } from '../src/dialects/etags.ts';
import type { Generation } from '../src/index/generation.ts';
import { type Lookup, lookupNear, lookupsOfMost, lookupsWhere, type Question, zipfMix } from './questions.ts';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Scenario {
  readonly name: string;
  /** What is requested, for a reader of the table. */
  readonly title: string;
  /** Sent in this order, repeatedly. A `PSKey` stands for the key of the server that is asked. */
  readonly requests: readonly BenchRequest[];
  /** The status that every request must get. */
  readonly status: number;
}

interface Made {
  readonly title: string;
  readonly requests: readonly BenchRequest[];
  readonly status?: number;
}

const MANY = 512; // requests of a scenario whose reply does not depend on the product
const SOME = 64; // and of one whose replies differ, so that nginx can cache them all
const BODIES = 8;
const BATCH_ITEMS = 50;
/** A tree of npm packages: most have no advisory, some have one that does not apply, few are affected. */
const TREE = { packages: 1_500, known: 150, affected: 30 } as const;
const ZIPF_REQUESTS = 4_096;
const EXISTS_SHARE = 0.6; // of them

const MAKE = {
  'exists-hit': (generation) =>
    lookups('exists, affected', generation, MANY, (count) => count > 0, '/exists'),
  'exists-miss': (generation) =>
    lookups('exists, not affected', generation, MANY, (count) => count === 0, '/exists'),
  'exists-most': (generation) => {
    const { count, lookups: found } = lookupsOfMost(generation, MANY);
    return {
      title: `exists, a product of ${count} advisories`,
      requests: found.map((each) => get(productPath(each, '/exists'))),
    };
  },
  'product-3': (generation) => lookups('product, 3 matches', generation, SOME, (count) => count === 3),
  'product-60': (generation) => {
    const lookup = lookupNear(generation, 60);
    return { title: `product, ${lookup.count} matches`, requests: [get(productPath(lookup))] };
  },
  'all-100': () => page('100', '100'),
  'all-100-details': () => page('100, details', '100&include=details'),
  vulnerability: (generation) => {
    const { start, end } = generation.published('wordpress');
    const ordinals = Array.from({ length: SOME }, (_, i) => start + Math.floor(((end - start) * i) / SOME));
    const requests = ordinals.map((ordinal) => get(`/vulnerability/${generation.idAt(ordinal)}`));
    return { title: 'vulnerability by id', requests };
  },
  'batch-exists': (generation) => batch('exists', generation, { exists: true }),
  'batch-full': (generation) => batch('full', generation, {}),
  '304': (generation) => ({
    title: 'all, page of 100, not modified',
    requests: [get('/all?per_page=100', { 'If-None-Match': etags.patchstack(generation) })],
    status: 304,
  }),
  '401': (generation) => {
    const [lookup] = lookupsWhere(generation, (count) => count > 0, 1);
    const request: BenchRequest = { method: 'GET', path: productPath(lookup, '/exists'), headers: {} };
    return { title: 'exists without a key', requests: [request], status: 401 };
  },
  zipf: (generation) => ({
    title: 'mix of lookups, products by Zipf',
    requests: zipfMix(generation, ZIPF_REQUESTS).map((each) =>
      get(productPath(each, each.fraction < EXISTS_SHARE ? '/exists' : '')),
    ),
  }),
  'npm-bulk': (generation) => ({
    title: `npm audit, ${TREE.packages} packages, gzip`,
    requests: treesOf(generation).map((tree) =>
      post('/-/npm/v1/security/advisories/bulk', gzipSync(tree), { 'Content-Encoding': 'gzip' }),
    ),
  }),
} as const satisfies Readonly<Record<string, (generation: Generation) => Made>>;

export type ScenarioName = keyof typeof MAKE;
export const SCENARIO_NAMES = Object.keys(MAKE) as readonly ScenarioName[];

/** The scenario of that name over this snapshot. Throws if the snapshot lacks a product that it needs. */
export function makeScenario(name: ScenarioName, generation: Generation): Scenario {
  const made: Made = MAKE[name](generation);
  if (made.requests.length === 0) {
    throw new Error(`${name}: the snapshot has no product for it; make it larger`);
  }
  return { name, status: 200, ...made };
}

function get(path: string, headers: BenchRequest['headers'] = {}): BenchRequest {
  return { method: 'GET', path, headers: { PSKey: '', ...headers } };
}

function post(path: string, body: string | Uint8Array, headers: BenchRequest['headers'] = {}): BenchRequest {
  const all = { PSKey: '', 'Content-Type': 'application/json', ...headers };
  return { method: 'POST', path, headers: all, body };
}

function productPath({ type, name, version }: Question, suffix = ''): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}${suffix}`;
}

function lookups(
  title: string,
  generation: Generation,
  most: number,
  fits: (count: number) => boolean,
  suffix = '',
): Made {
  const requests = lookupsWhere(generation, fits, most).map((each) => get(productPath(each, suffix)));
  return { title, requests };
}

function page(title: string, query: string): Made {
  return { title: `all, page of ${title}`, requests: [get(`/all?per_page=${query}`)] };
}

function batch(words: string, generation: Generation, members: object): Made {
  const found = lookupsWhere(generation, () => true, BODIES * BATCH_ITEMS);
  const items = found.map(({ type, name, version }) => ({ type, name, version, ...members }));
  const requests = chunks(items, BATCH_ITEMS).map((each) => post('/batch', JSON.stringify(each)));
  return { title: `batch of ${BATCH_ITEMS}, ${words}`, requests };
}

/** Bodies of an audit, of different trees, so that no request repeats the one before it. */
function treesOf(generation: Generation): readonly string[] {
  const ofNpm = (fits: (count: number) => boolean, most: number): Lookup[] =>
    lookupsWhere(generation, (count, { type }) => type === 'npm' && fits(count), BODIES * most);
  const affected = ofNpm((count) => count > 0, TREE.affected);
  const rest = ofNpm((count) => count === 0, TREE.known - TREE.affected);
  return Array.from({ length: BODIES }, (_, tree) => {
    const known = [affected, rest].flatMap((each) => each.filter((__, i) => i % BODIES === tree));
    const others = Array.from({ length: TREE.packages - known.length }, (__, i) => ({
      name: `${i % 5 === 0 ? `@scope-${i % 40}/` : ''}without-advisories-${tree}-${i}`,
      version: `${i % 9}.${i % 30}.${i % 13}`,
    }));
    // Names in a request are sorted: those with advisories are spread among the others.
    const sorted = [...known, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
    return JSON.stringify(Object.fromEntries(sorted.map(({ name, version }) => [name, [version]])));
  });
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
