// What clients request, chosen from the snapshot itself: the same snapshot gives the same requests.

import { gzipSync } from 'node:zlib';
import { etags } from '../src/dialects/etags.ts';
import { packageOf } from '../src/dialects/osv/ecosystems.ts';
import type { Generation } from '../src/index/generation.ts';
import { type Lookup, lookupNear, lookupsOfMost, lookupsWhere, type Question, zipfMix } from './questions.ts';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Undefined if the same body is sent each time, which a server may remember. */
  readonly varied?: Varied;
}

/** The bytes of a body that differ each time it is sent, and what each of them may be. */
export interface Varied {
  /** From the end. */
  readonly start: number;
  readonly length: number;
  readonly choices: string | Uint8Array;
}

export interface Scenario {
  readonly name: string;
  /** What is requested, for a reader of the table. */
  readonly title: string;
  /** Sent in this order, repeatedly. A `PSKey` stands for the key of the server that is asked. */
  readonly requests: readonly BenchRequest[];
  /** The status that every request must get. */
  readonly status: number;
  /** Of the dialect that is asked, if servers do not have it by default. */
  readonly mount?: string;
}

interface Made {
  readonly title: string;
  readonly requests: readonly BenchRequest[];
  readonly status?: number;
  readonly mount?: string;
}

const MANY = 512; // requests of a scenario whose reply does not depend on the product
const SOME = 64; // and of one whose replies differ, so that nginx can cache them all
const UNKNOWN_ID = 2_000_000_000;
const BODIES = 8;
const BATCHES = 128; // so many that their products are not in a core's caches
const BATCH_ITEMS = 50;
const OSV_QUERIES = 1_000;
/** A tree of npm packages: most have no advisory, some have one that does not apply, few are affected. */
const TREE = { packages: 1_500, known: 150, affected: 30 } as const;
const GZIP_TIME = { at: 4, length: 4 } as const; // in a member's header
const VARIED_BLANKS = 12; // of four kinds: 16 million bodies
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
  '404': () => ({
    title: 'vulnerability by an unknown id',
    requests: Array.from({ length: SOME }, (_, i) => get(`/vulnerability/${UNKNOWN_ID + i}`)),
    status: 404,
  }),
  '422': () => ({
    title: 'all, with a parameter out of range',
    requests: [get('/all?per_page=0')],
    status: 422,
  }),
  zipf: (generation) => ({
    title: 'mix of lookups, products by Zipf',
    requests: zipfMix(generation, ZIPF_REQUESTS).map((each) =>
      get(productPath(each, each.fraction < EXISTS_SHARE ? '/exists' : '')),
    ),
  }),
  'npm-bulk': (generation) => ({
    title: `npm audit, ${TREE.packages} packages, gzip`,
    requests: treesOf(generation).map((tree) => varied(auditOf(tree))),
  }),
  'npm-again': (generation) => ({
    title: `npm audit, ${TREE.packages} packages, gzip, the same again`,
    requests: treesOf(generation).map(auditOf),
  }),
  'osv-batch': (generation) => ({
    title: `OSV, batch of ${OSV_QUERIES}`,
    requests: osvBatches(generation),
    mount: 'osv',
  }),
  'wpscan-plugin': (generation) => ({
    title: 'WPScan, a plugin',
    requests: lookupsWhere(generation, (_, { type }) => type === 'plugin', MANY).map(({ name }) =>
      get(`/wpscan/api/v3/plugins/${encodeURIComponent(name)}`),
    ),
    mount: 'wpscan',
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

/** npm sends a tree in gzip. */
function auditOf(tree: string): BenchRequest {
  const headers = { 'Content-Encoding': 'gzip' };
  return post('/-/npm/v1/security/advisories/bulk', gzipSync(tree), headers);
}

/**
 * A body that is another each time and means the same: of a gzip member the time, else blanks at the end of
 * JSON.
 */
function varied(request: BenchRequest): BenchRequest {
  const { body = '' } = request;
  if (typeof body !== 'string') {
    const choices = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const { at, length } = GZIP_TIME;
    return { ...request, varied: { start: body.length - at, length, choices } };
  }
  const blanks = ' '.repeat(VARIED_BLANKS);
  const all = { start: VARIED_BLANKS, length: VARIED_BLANKS, choices: ' \n\r\t' };
  return { ...request, body: body + blanks, varied: all };
}

function page(title: string, query: string): Made {
  return { title: `all, page of ${title}`, requests: [get(`/all?per_page=${query}`)] };
}

function batch(words: string, generation: Generation, members: object): Made {
  const found = lookupsWhere(generation, () => true, BATCHES * BATCH_ITEMS);
  const items = found.map(({ type, name, version }) => ({ type, name, version, ...members }));
  const requests = chunks(items, BATCH_ITEMS).map((each) => varied(post('/batch', JSON.stringify(each))));
  return { title: `batch of ${BATCH_ITEMS}, ${words}`, requests };
}

/** Every package once; a corpus may have fewer than bodies need, so they repeat. */
function osvBatches(generation: Generation): BenchRequest[] {
  const found = lookupsWhere(generation, () => true, BODIES * OSV_QUERIES);
  if (found.length === 0) return [];
  const queries = found.map(({ type, name, version }) => ({ package: packageOf(type, name), version }));
  return Array.from({ length: BODIES }, (_, body) => {
    const asked = Array.from(
      { length: OSV_QUERIES },
      (__, i) => queries[(body * OSV_QUERIES + i) % queries.length],
    );
    return varied(post('/osv/v1/querybatch', JSON.stringify({ queries: asked })));
  });
}

/** Bodies of an audit, of different trees. */
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
