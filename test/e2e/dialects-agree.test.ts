// Every dialect says the same about a version: random versions of the products of a snapshot, asked in each of them and
// compared with a scan of the spans. Over the real data if it is beside this repository, else over invented data. The suite
// asks about a few thousand; VULNDEX_TEST_PAIRS sets another number.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageOf } from '../../src/dialects/osv/ecosystems.ts';
import { recordsOf } from '../../src/dialects/osv/records.ts';
import { recordId } from '../../src/dialects/wordfence/record-id.ts';
import { wordfence } from '../../src/dialects/wordfence/wordfence.ts';
import { Dice } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { writeFeed } from '../support/advisories.ts';
import { type AskedPair, drawPair, ScanOracle } from '../support/asked-pairs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generationOfFeeds } from '../support/generation.ts';
import { type AskInProcess, inProcess } from '../support/in-process.ts';
import { feedJson, inventedRecords } from '../support/invented-feed.ts';
import { compare } from '../support/linear-scan.ts';
import { realDataOptions, realFeedPath } from '../support/real-data.ts';
import { printedSeed } from '../support/seed.ts';

const PAIRS = Number(process.env.VULNDEX_TEST_PAIRS ?? 2_000);
const CHUNK = 1_000;
const BATCH_ITEMS = 50;
const INVENTED = 4_000;
const OSV_SINGLE_EVERY = 5;

/** What a dialect says about each of some versions: the ids of what applies, descending; undefined for "not a version". */
type Verdicts = readonly (readonly number[] | undefined)[];
type Asker = (pairs: readonly AskedPair[]) => Verdicts;

let generation: Generation;
let ask: AskInProcess;

function feeds(t: TestContext): string[] {
  if (realDataOptions.skip === false) return [realFeedPath('wordpress'), realFeedPath('npm')];
  const path = join(temporaryFolder(t), 'invented.ndjson');
  writeFeed(path, inventedRecords(INVENTED, 12).map(feedJson));
  return [path];
}

// biome-ignore lint/suspicious/noExplicitAny: each asker knows the shape of its answers, which other tests check
function answered(path: string, body?: unknown, status = 200): any {
  const reply = ask(path, body);
  assert.equal(reply.status, status, `${path}: ${reply.text.slice(0, 500)}`);
  return JSON.parse(reply.text);
}

function descending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => b - a);
}

function pathOf({ type, name, version }: AskedPair): string {
  return `${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** One GET for each pair, where what is not a version gets a status of its own. */
function single(read: (pair: AskedPair, status: number) => readonly number[] | undefined): Asker {
  return (pairs) => pairs.map((pair) => read(pair, pair.expected === undefined ? 422 : 200));
}

interface Item {
  readonly id: number;
}
const idsOf = (items: readonly Item[]): number[] => items.map(({ id }) => id);

/** By name of the dialect and endpoint, where what is not a version is refused. Those that only say whether anything applies are below. */
const ASKERS: Readonly<Record<string, Asker>> = {
  product: single((pair, status) => {
    const body = answered(`/product/${pathOf(pair)}`, undefined, status);
    return status === 200 ? idsOf(body.vulnerabilities) : undefined;
  }),
  explain: single((pair, status) => {
    const body = answered(`/explain/${pathOf(pair)}`, undefined, status);
    if (status !== 200) return undefined;
    interface Explained extends Item {
      readonly applies: boolean;
      readonly ranges: readonly { readonly excluded_by: string | null }[];
    }
    const advisories = body.advisories as readonly Explained[];
    for (const { applies, ranges } of advisories) {
      // The comparisons, which are made span by span, and the verdict, which is the index's.
      assert.equal(
        ranges.some(({ excluded_by }) => excluded_by === null),
        applies,
        pathOf(pair),
      );
    }
    return idsOf(advisories.filter(({ applies }) => applies));
  }),
  'flat product': single((pair, status) => {
    const body = answered(`${FLAT}/product/${pathOf(pair)}`, undefined, status);
    return status === 200 ? idsOf(body.vulnerabilities) : undefined;
  }),
  batch: (pairs) =>
    chunksOf(pairs, BATCH_ITEMS).flatMap((items) => {
      const results = answered(
        '/batch',
        items.map(({ type, name, version }) => ({ type, name, version })),
      );
      return results.map((result: { vulnerabilities?: Item[]; error?: { code: string } }) => {
        if (result.vulnerabilities !== undefined) return idsOf(result.vulnerabilities);
        assert.equal(result.error?.code, 'invalid_version');
        return undefined;
      });
    }),
};

const FLAT = '/database/api/v2';

/** The flat batch has one member for each slug, and takes what is not a version for "any version". */
function askFlatBatch(pairs: readonly AskedPair[]): Verdicts {
  const found = new Map<AskedPair, readonly number[]>();
  for (const items of byDistinctName(pairs).flatMap((group) => chunksOf(group, BATCH_ITEMS))) {
    const asked = items.map(({ type, name, version }) => ({ type, name, version }));
    const { vulnerabilities } = answered(`${FLAT}/batch`, asked);
    assert.deepEqual(Object.keys(vulnerabilities).length, items.length);
    for (const pair of items) found.set(pair, idsOf(vulnerabilities[pair.name]));
  }
  return pairs.map((pair) => found.get(pair));
}

function askFlatFlags(pairs: readonly AskedPair[]): readonly (boolean | undefined)[] {
  return pairs.map((pair) => {
    const body = answered(
      `${FLAT}/product/${pathOf(pair)}/exists`,
      undefined,
      pair.expected === undefined ? 422 : 200,
    );
    return pair.expected === undefined ? undefined : body.vulnerable;
  });
}

/** Endpoints that say whether anything applies. */
const FLAG_ASKERS: Readonly<
  Record<string, (pairs: readonly AskedPair[]) => readonly (boolean | undefined)[]>
> = {
  exists: (pairs) =>
    pairs.map((pair) => {
      const status = pair.expected === undefined ? 422 : 200;
      const body = answered(`/product/${pathOf(pair)}/exists`, undefined, status);
      return status === 200 ? body.vulnerable : undefined;
    }),
  'flat exists': askFlatFlags,
  'batch with exists': (pairs) =>
    chunksOf(pairs, BATCH_ITEMS).flatMap((items) =>
      answered(
        '/batch',
        items.map(({ type, name, version }) => ({ type, name, version, exists: true })),
      ).map((result: { vulnerable?: boolean }) => result.vulnerable),
    ),
};

/** Clients of npm send versions of packages only; what is not a version has no advisories there. */
const NPM_ASKERS: Readonly<Record<string, Asker>> = {
  'npm bulk': (pairs) => {
    // A body has each name once, so versions of one package go into requests of their own.
    const found = new Map<AskedPair, readonly number[]>();
    for (const asked of byDistinctName(pairs)) {
      const body = Object.fromEntries(asked.map(({ name, version }) => [name, [version]]));
      const answer = answered('/-/npm/v1/security/advisories/bulk', body);
      for (const pair of asked) {
        found.set(pair, Object.hasOwn(answer, pair.name) ? descending(idsOf(answer[pair.name])) : []);
      }
    }
    return pairs.map((pair) => found.get(pair));
  },
  'npm quick': (pairs) => {
    const found = new Map<AskedPair, number[]>(pairs.map((pair) => [pair, []]));
    for (const asked of byDistinctName(pairs)) {
      const dependencies = Object.fromEntries(asked.map(({ name, version }) => [name, { version }]));
      const body = { name: 'root', version: '1.0.0', requires: {}, dependencies };
      const { advisories } = answered('/-/npm/v1/security/audits/quick', body);
      const byName = new Map(asked.map((pair) => [pair.name, pair]));
      interface Reported extends Item {
        readonly module_name: string;
        readonly findings: readonly { readonly version: string }[];
      }
      for (const { id, module_name, findings } of Object.values(advisories) as Reported[]) {
        const pair = byName.get(module_name);
        assert.deepEqual(
          findings.map(({ version }) => version),
          [pair?.version],
          module_name,
        );
        found.get(pair as AskedPair)?.push(id);
      }
    }
    return pairs.map((pair) => descending(found.get(pair) as number[]));
  },
};

/** The bulk endpoint lists an advisory if it applies to at least one of the versions asked about. */
function assertBulkOfSeveral(pairs: readonly AskedPair[]): void {
  const byName = new Map<string, AskedPair[]>();
  for (const pair of pairs) byName.set(pair.name, [...(byName.get(pair.name) ?? []), pair]);
  const versions = [...byName].map(([name, asked]) => [name, asked.map(({ version }) => version)]);
  const answer = answered('/npm/-/npm/v1/security/advisories/bulk', Object.fromEntries(versions));
  for (const [name, asked] of byName) {
    const expected = new Set(asked.flatMap((pair) => pair.expected ?? []));
    const got = Object.hasOwn(answer, name) ? idsOf(answer[name]) : [];
    assert.deepEqual(descending(got), descending(expected), name);
  }
}

/** OSV answers with records, which are one for all products of a source record. What is not a version finds nothing. */
function assertOsvAgrees(pairs: readonly AskedPair[]): void {
  const records = recordsOf(generation);
  const recordIds = (ids: readonly number[]): string[] => {
    const ordinals = ids.map((id) => generation.findId(id) as number); // ids of this generation
    return [...new Set(ordinals.map((ordinal) => records.idOf(records.headOf(ordinal))))];
  };
  const queries = pairs.map(({ type, name, version }) => ({ package: packageOf(type, name), version }));
  const found: string[][] = pairs.map(() => []);
  interface Listed {
    readonly vulns?: readonly { readonly id: string }[];
    readonly next_page_token?: string;
  }
  const idsIn = ({ vulns = [] }: Listed): string[] => vulns.map(({ id }) => id);
  // A batch lists a limited number of records; the queries without room are sent again with the token they got.
  let open = queries.map((query, i) => ({ query, i }));
  while (open.length > 0) {
    const { results } = answered('/osv/v1/querybatch', { queries: open.map(({ query }) => query) });
    assert.equal(results.length, open.length);
    open = open.flatMap(({ i }, at) => {
      const result: Listed = results[at];
      found[i].push(...idsIn(result));
      const token = result.next_page_token;
      return token === undefined ? [] : [{ query: { ...queries[i], page_token: token }, i }];
    });
  }
  pairs.forEach((pair, i) => {
    const expected = recordIds(pair.expected ?? []);
    assertSame([...new Set(found[i])], expected, () => `osv querybatch: ${pathOf(pair)}`);
    if (i % OSV_SINGLE_EVERY > 0) return;
    const single: Listed = answered('/osv/v1/query', queries[i]);
    assertSame(idsIn(single), expected, () => `osv query: ${pathOf(pair)}`);
  });
}

interface FeedRange {
  readonly from_version: string;
  readonly from_inclusive: boolean;
  readonly to_version: string;
  readonly to_inclusive: boolean;
}

/** The feed, read as its clients read it: by type and slug, each range by its own flags. */
class FeedReader {
  readonly #ranges = new Map<string, { readonly uuid: string; readonly ranges: readonly FeedRange[] }[]>();

  constructor(feed: unknown) {
    interface FeedRecord {
      readonly software: readonly {
        readonly type: string;
        readonly slug: string;
        readonly affected_versions: Readonly<Record<string, FeedRange>>;
      }[];
    }
    for (const [uuid, { software }] of Object.entries(feed as Readonly<Record<string, FeedRecord>>)) {
      for (const { type, slug, affected_versions } of software) {
        const key = `${type} ${slug}`;
        const known = this.#ranges.get(key) ?? [];
        known.push({ uuid, ranges: Object.values(affected_versions) });
        this.#ranges.set(key, known);
      }
    }
  }

  /** The uuids of the records that apply. */
  find(type: string, slug: string, version: string): string[] {
    const word = type === 'wordpress' ? 'core' : type;
    const isInside = (range: FeedRange): boolean =>
      isAbove(version, range.from_version, range.from_inclusive) &&
      isBelow(version, range.to_version, range.to_inclusive);
    const known = this.#ranges.get(`${word} ${slug}`) ?? [];
    return known.filter(({ ranges }) => ranges.some(isInside)).map(({ uuid }) => uuid);
  }
}

function isAbove(version: string, from: string, inclusive: boolean): boolean {
  if (from === '*') return true;
  const order = compare('wordpress', version, from);
  return inclusive ? order >= 0 : order > 0;
}

function isBelow(version: string, to: string, inclusive: boolean): boolean {
  if (to === '*') return true;
  const order = compare('wordpress', version, to);
  return inclusive ? order <= 0 : order < 0;
}

/** The feed does not say by which scheme versions compare, so only products whose advisories all have the usual one. */
function assertFeedAgrees(feed: FeedReader, pairs: readonly AskedPair[]): number {
  let asked = 0;
  for (const { type, name, version, expected } of pairs) {
    const product = generation.findProduct(type, name);
    if (expected === undefined || type === 'npm' || product === undefined) continue;
    if (!hasUsualScheme(product)) continue;
    const uuids = expected.map((id) => {
      const ordinal = generation.findId(id) as number; // ids of this generation
      const published = generation.siblingsOf(ordinal).filter((each) => each < generation.publishedCount);
      return recordId(generation, published[published.length - 1]);
    });
    const label = (): string => `wordfence: ${type} ${name} ${version}`;
    assertSame(feed.find(type, name, version).sort(), [...new Set(uuids)].sort(), label);
    asked++;
  }
  return asked;
}

function hasUsualScheme(product: number): boolean {
  const { advisoryScheme } = generation.parts.columns;
  const usual = VERSION_SCHEMES.indexOf('wordpress');
  return generation.advisoriesOf(product).every((ordinal) => advisoryScheme[ordinal] === usual);
}

function assertSame(got: readonly string[], expected: readonly string[], label: () => string): void {
  if (got.join('\n') !== expected.join('\n')) assert.deepEqual(got, expected, label());
}

/** The pairs in as few groups as possible that have each name once. */
function byDistinctName(pairs: readonly AskedPair[]): AskedPair[][] {
  const groups: AskedPair[][] = [];
  const seen = new Map<string, number>();
  for (const pair of pairs) {
    const group = seen.get(pair.name) ?? 0;
    seen.set(pair.name, group + 1);
    groups[group] ??= [];
    groups[group].push(pair);
  }
  return groups;
}

test('all dialects say the same about random versions, which is what a scan of the spans says', async (t) => {
  generation = await generationOfFeeds(t, feeds(t));
  const files = new Map(wordfence.prepare?.(generation));
  ask = inProcess(generation, () => ({ snapshot: generation.id, files }));
  const feed = new FeedReader(answered('/wordfence/v3/vulnerabilities/scanner'));
  const dice = new Dice(printedSeed(t));
  const oracle = new ScanOracle(generation);
  const counts = { pairs: 0, hits: 0, several: 0, invalid: 0, npm: 0, feed: 0 };
  for (let left = PAIRS; left > 0; left -= CHUNK) {
    const pairs = Array.from({ length: Math.min(left, CHUNK) }, () => drawPair(dice, generation, oracle));
    const npmPairs = pairs.filter(({ type }) => type === 'npm');
    for (const { expected } of pairs) {
      if (expected === undefined) counts.invalid++;
      else if (expected.length > 0) counts.hits++;
      if (expected !== undefined && expected.length > 1) counts.several++;
    }
    counts.pairs += pairs.length;
    counts.npm += npmPairs.length;
    for (const [name, asker] of Object.entries(ASKERS)) assertAgrees(name, asker, pairs);
    for (const [name, asker] of Object.entries(NPM_ASKERS)) {
      assertAgrees(name, asker, npmPairs, ({ expected }) => expected ?? []);
    }
    assertBulkOfSeveral(npmPairs);
    assertOsvAgrees(pairs);
    counts.feed += assertFeedAgrees(feed, pairs);
    assertAgrees('flat batch', askFlatBatch, pairs, (pair) => pair.expected ?? oracle.allOf(pair));
    for (const [name, asker] of Object.entries(FLAG_ASKERS)) {
      asker(pairs).forEach((flag, i) => {
        const { expected } = pairs[i];
        assert.equal(
          flag,
          expected === undefined ? undefined : expected.length > 0,
          `${name}: ${pathOf(pairs[i])}`,
        );
      });
    }
  }
  t.diagnostic(`${JSON.stringify(counts)} of ${generation.publishedCount} advisories`);
  assert.ok(counts.hits > counts.pairs * 0.3 && counts.hits < counts.pairs * 0.95, `${counts.hits} hits`);
  assert.ok(counts.several > counts.pairs * 0.05 && counts.invalid > 0 && counts.npm > 0 && counts.feed > 0);
});

function assertAgrees(
  name: string,
  asker: Asker,
  pairs: readonly AskedPair[],
  expectedOf: (pair: AskedPair) => readonly number[] | undefined = ({ expected }) => expected,
): void {
  const verdicts = asker(pairs);
  assert.equal(verdicts.length, pairs.length, name);
  verdicts.forEach((verdict, i) => {
    const expected = expectedOf(pairs[i]);
    if (verdict?.join() === expected?.join() && (verdict === undefined) === (expected === undefined)) return;
    assert.deepEqual(verdict, expected, `${name}: ${pathOf(pairs[i])}`);
  });
}
