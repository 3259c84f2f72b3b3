// Looks up the real feeds over a real socket and compares with answers from a slow scan with PHP and
// node-semver. Each lookup is sent in every way: on its own, as a yes or no, and in batches of both kinds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Dice } from '../../src/generator/dice.ts';
import { type KnownLookup, readKnownLookups, realDataOptions } from '../support/feeds/real-data.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer, type TestResponse, type TestServer } from '../support/serving/server.ts';
import { realSnapshot } from '../support/snapshots/generation.ts';
import { volume } from '../support/volume.ts';

const AT_A_TIME = 8; // requests in flight
const BATCH_ITEMS = 50;
const SHOWN = 5; // of the differences, in a failure

interface Match {
  readonly id: number;
  /** As in `matched_range`; null if there is none. */
  readonly range: unknown;
}

interface Answer {
  readonly status: number;
  readonly matches?: readonly Match[];
  readonly code?: string;
}

/** The answer in the form of the expectation. */
function readAnswer(response: TestResponse): Answer {
  const body = response.json();
  return response.status === 200
    ? { status: 200, matches: matchesIn(body.vulnerabilities) }
    : { status: response.status, code: body.errors?.[0]?.parameter ?? body.code };
}

// biome-ignore lint/suspicious/noExplicitAny: an item of an answer, already checked against the OpenAPI document
function matchesIn(items: readonly any[]): readonly Match[] {
  return items.map((item) => ({ id: item.id, range: item.matched_range ?? null }));
}

interface BatchResult {
  readonly error?: { readonly code: string };
  // biome-ignore lint/suspicious/noExplicitAny: an item of an answer, already checked against the OpenAPI document
  readonly vulnerabilities?: readonly any[];
}

const BAD_VERSION: Answer = { status: 422, code: 'version' };

function expectedList({ expect }: KnownLookup): Answer {
  return expect === undefined ? BAD_VERSION : { status: 200, matches: expect };
}

/** A batch item without the echoed query. */
function expectedResult({ q, expect }: KnownLookup, existsOnly: boolean): object {
  if (expect === undefined || (existsOnly && q.version === '*')) return { error: 'invalid_version' };
  return existsOnly ? { vulnerable: expect.length > 0 } : { matches: expect };
}

function pathOf({ type, name, version }: KnownLookup['q']): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

interface Comparison {
  readonly got: unknown;
  readonly expected: unknown;
}

/** Sends all lookups, a few at a time, and fails with the first few differences. */
async function assertAll<Item>(
  items: readonly Item[],
  ask: (item: Item) => Promise<readonly Comparison[]>,
): Promise<void> {
  const different: Comparison[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const comparisons = await ask(items[next++]);
      different.push(...comparisons.filter(({ got, expected }) => !isDeepStrictEqual(got, expected)));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const shown = different.slice(0, SHOWN).map((each) => JSON.stringify(each));
  assert.equal(different.length, 0, `${different.length} answers differ:\n${shown.join('\n')}`);
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function assertLists(server: TestServer, lookups: readonly KnownLookup[]): Promise<void> {
  return assertAll(lookups, async (lookup) => {
    const { q } = lookup;
    const answer = readAnswer(await server.request(pathOf(q)));
    return [{ got: { q, ...answer }, expected: { q, ...expectedList(lookup) } }];
  });
}

function assertExists(server: TestServer, lookups: readonly KnownLookup[]): Promise<void> {
  return assertAll(lookups, async ({ q, expect }) => {
    const response = await server.request(`${pathOf(q)}/exists`);
    const answer = response.status === 200 ? response.json() : readAnswer(response);
    const isConcrete = expect !== undefined && q.version !== '*';
    const expected = isConcrete ? { vulnerable: expect.length > 0 } : BAD_VERSION;
    return [{ got: { q, ...answer }, expected: { q, ...expected } }];
  });
}

function assertBatches(
  server: TestServer,
  lookups: readonly KnownLookup[],
  existsOnly: boolean,
): Promise<void> {
  const askBatch = async (items: readonly object[]): Promise<BatchResult[]> => {
    const response = await server.request('/batch', { method: 'POST', body: JSON.stringify(items) });
    assert.equal(response.status, 200, response.text);
    const results: BatchResult[] = response.json();
    assert.equal(results.length, items.length);
    // Fifty lists of WordPress itself exceed the size limit of a batch. Then do what the error says.
    return Promise.all(
      results.map(async (result, i) =>
        result.error?.code === 'batch_too_large' && items.length > 1
          ? (await askBatch([items[i]]))[0]
          : result,
      ),
    );
  };
  return assertAll(chunksOf(lookups, BATCH_ITEMS), async (chunk) => {
    const results = await askBatch(chunk.map(({ q }) => (existsOnly ? { ...q, exists: true } : q)));
    return chunk.map((lookup, i) => {
      const { vulnerabilities, error, ...rest } = results[i];
      const found = vulnerabilities === undefined ? {} : { matches: matchesIn(vulnerabilities) };
      return {
        got: error === undefined ? { ...rest, ...found } : { ...rest, error: error.code },
        expected: { ...lookup.q, ...expectedResult(lookup, existsOnly) },
      };
    });
  });
}

test('the real feeds give the known answers, however they are asked for', realDataOptions, async (t) => {
  const server = await startServer(t, { snapshot: await realSnapshot('wordpress', 'npm') });
  const known = [...readKnownLookups('wordpress'), ...readKnownLookups('npm')];
  assert.equal(known.length, 10_379);
  const dice = new Dice(printedSeed(t));
  const lookups = known.filter(() => dice.chance(volume(100) / 100));
  // An empty version cannot be in a path: only a batch can ask for it.
  const addressable = lookups.filter(({ q }) => q.version !== '');
  t.diagnostic(`of ${lookups.length}: ${addressable.length} by path, all in batches`);

  await t.test('one by one: ids in order, each with its matched range', () =>
    assertLists(server, addressable),
  );
  await t.test('as a yes or no, which needs a concrete version', () => assertExists(server, addressable));
  await t.test('in batches of fifty, where a bad version is an error of its item', () =>
    assertBatches(server, lookups, false),
  );
  await t.test('in batches of fifty that ask for a yes or no', () => assertBatches(server, lookups, true));
});
