// What clients of the other dialects request, and `explain`, chosen from the snapshot itself like the scenarios of the
// contract.

import { gzipSync } from 'node:zlib';
import { packageOf } from '../src/dialects/osv/ecosystems.ts';
import { etagOf as feedTagOf } from '../src/dialects/wordfence/feed.ts';
import type { Generation } from '../src/index/generation.ts';
import type { ProductType } from '../src/index/product-type.ts';
import { type Lookup, lookupNear, lookupsWhere } from './questions.ts';
import { type BenchRequest, productPath, type Scenario } from './scenario.ts';

export const DIALECT_SCENARIO_NAMES = [
  'explain',
  'explain-60',
  'npm-bulk',
  'npm-bulk-gzip',
  'npm-quick',
  'flat-batch',
  'osv-query',
  'osv-querybatch',
  'wpscan-plugin',
  'wordfence-304',
  'changes',
] as const;
/** What a service alone cannot answer: files are made by a thread of the program, and lists of changes by the loader. */
export const PROGRAM_SCENARIO_NAMES: readonly string[] = ['wordfence-304', 'changes'];
/** Whose dialects are off by default. */
export const OPTIONAL_SCENARIO_NAMES: readonly string[] = DIALECT_SCENARIO_NAMES.filter((name) =>
  /^(flat|osv|wpscan|wordfence)-/.test(name),
);
/** A file that is made after the start, like all of them, when every dialect is on. */
export const MADE_FILE = '/wordfence/v3/vulnerabilities/production';
export type DialectScenarioName = (typeof DIALECT_SCENARIO_NAMES)[number];

const BODIES = 8; // requests of a scenario whose replies differ
const SOME = 64;
/** A tree of npm packages: most have no advisory, some have one that does not apply, few are affected. */
const TREE = { packages: 1_500, known: 150, affected: 30 } as const;
const BATCH_ITEMS = 50;
const OSV_QUERIES = 1_000;
const VERSIONS_EACH = 4; // of a product in OSV batches

export function isDialectScenario(name: string): name is DialectScenarioName {
  return (DIALECT_SCENARIO_NAMES as readonly string[]).includes(name);
}

/** The scenario of that name over this snapshot. Throws if the snapshot lacks a product that it needs. */
export function makeDialectScenario(
  name: DialectScenarioName,
  generation: Generation,
  key: string,
): Scenario {
  const get = (path: string, headers: BenchRequest['headers'] = {}): BenchRequest => ({
    method: 'GET',
    path,
    headers: { PSKey: key, ...headers },
  });
  const post = (
    path: string,
    body: string | Uint8Array,
    headers: BenchRequest['headers'] = {},
  ): BenchRequest => ({
    method: 'POST',
    path,
    headers: { PSKey: key, 'Content-Type': 'application/json', ...headers },
    body,
  });
  const scenario = (title: string, requests: readonly BenchRequest[], status = 200): Scenario => {
    if (requests.length === 0) throw new Error(`${name}: the snapshot has no product for it; make it larger`);
    return { name, title, requests, status };
  };
  switch (name) {
    case 'explain': {
      const lookups = lookupsWhere(generation, (count) => count === 3, SOME);
      return scenario(
        'explain, 3 matches',
        lookups.map((each) => get(productPath(each, '', 'explain'))),
      );
    }
    case 'explain-60': {
      const lookup = lookupNear(generation, 60);
      return scenario(`explain, ${lookup.count} matches`, [get(productPath(lookup, '', 'explain'))]);
    }
    case 'npm-bulk':
      return scenario(
        `npm audit, ${TREE.packages} packages`,
        treesOf(generation).map((tree) => post(BULK, bulkBody(tree))),
      );
    case 'npm-bulk-gzip':
      return scenario(
        `npm audit, ${TREE.packages} packages, gzip`,
        treesOf(generation).map((tree) =>
          post(BULK, gzipSync(bulkBody(tree)), { 'Content-Encoding': 'gzip' }),
        ),
      );
    case 'npm-quick':
      return scenario(
        `npm audit quick, ${TREE.packages} packages`,
        treesOf(generation).map((tree) => post('/-/npm/v1/security/audits/quick', quickBody(tree))),
      );
    case 'flat-batch': {
      const lookups = ofType(generation, 'plugin', () => true, BODIES * BATCH_ITEMS);
      const items = lookups.map(({ type, name: slug, version }) => ({ type, name: slug, version }));
      return scenario(
        'flat batch of 50',
        chunks(items, BATCH_ITEMS).map((each) => post('/database/api/v2/batch', JSON.stringify(each))),
      );
    }
    case 'osv-query': {
      const lookups = ofType(generation, 'npm', (count) => count > 0, SOME);
      const requests = lookups.map((lookup) => post('/osv/v1/query', JSON.stringify(osvQuery(lookup))));
      return scenario('OSV query', requests);
    }
    case 'osv-querybatch': {
      const lookups = lookupsWhere(generation, () => true, BODIES * OSV_QUERIES, VERSIONS_EACH);
      // Every query is about a known product, which is the dearest case.
      const bodies = Array.from({ length: BODIES }, (_, body) => {
        const part = Array.from(
          { length: OSV_QUERIES },
          (__, i) => lookups[(body * OSV_QUERIES + i) % lookups.length],
        );
        return JSON.stringify({ queries: part.map(osvQuery) });
      });
      return scenario(
        `OSV batch of ${OSV_QUERIES}`,
        bodies.map((body) => post('/osv/v1/querybatch', body)),
      );
    }
    case 'wpscan-plugin': {
      const lookups = ofType(generation, 'plugin', (count) => count > 0, SOME);
      const requests = lookups.map((each) => get(`/wpscan/api/v3/plugins/${encodeURIComponent(each.name)}`));
      return scenario('WPScan, a plugin', requests);
    }
    case 'wordfence-304': {
      const request = get(MADE_FILE, { 'If-None-Match': feedTagOf(generation) });
      return scenario('Wordfence feed, not modified', [request], 304);
    }
    case 'changes':
      return scenario('changes, none', [get(`/changes?since=${generation.id}`)]);
  }
}

function osvQuery({ type, name, version }: Lookup) {
  return { package: packageOf(type, name), version };
}

const BULK = '/-/npm/v1/security/advisories/bulk';

interface TreePackage {
  readonly name: string;
  readonly version: string;
}

/** Different trees, so that no request repeats the one before it. */
function treesOf(generation: Generation): readonly (readonly TreePackage[])[] {
  const affected = ofType(generation, 'npm', (count) => count > 0, BODIES * TREE.affected);
  const rest = ofType(generation, 'npm', (count) => count === 0, BODIES * (TREE.known - TREE.affected));
  return Array.from({ length: BODIES }, (_, tree) => {
    const known = [...share(affected, tree), ...share(rest, tree)];
    const others = Array.from({ length: TREE.packages - known.length }, (_, i) => ({
      name:
        i % 5 === 0 ? `@scope-${i % 40}/without-advisories-${tree}-${i}` : `without-advisories-${tree}-${i}`,
      version: `${i % 9}.${i % 30}.${i % 13}`,
    }));
    // Names in a request are sorted: those with advisories are spread among the others.
    return [...known, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** The part of a list that belongs to one of BODIES requests: of each name one version. */
function share(lookups: readonly Lookup[], part: number): readonly TreePackage[] {
  return lookups.filter((_, i) => i % BODIES === part).map(({ name, version }) => ({ name, version }));
}

function bulkBody(tree: readonly TreePackage[]): string {
  return JSON.stringify(Object.fromEntries(tree.map(({ name, version }) => [name, [version]])));
}

/** As npm sends it, two levels deep. */
function quickBody(tree: readonly TreePackage[]): string {
  const groups = chunks(tree, 10).map(([first, ...below]) => [
    first.name,
    {
      version: first.version,
      dependencies: Object.fromEntries(below.map(({ name, version }) => [name, { version }])),
    },
  ]);
  const dependencies: unknown = Object.fromEntries(groups);
  return JSON.stringify({ name: 'tree', version: '1.0.0', requires: {}, dependencies });
}

/** Lookups of one type of product, each of another product. */
function ofType(
  generation: Generation,
  type: ProductType,
  fits: (count: number) => boolean,
  most: number,
): readonly Lookup[] {
  return lookupsWhere(generation, (count, lookup) => lookup.type === type && fits(count), most);
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
