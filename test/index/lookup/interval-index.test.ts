// The stabbing query, compared with its slow twin, a scan of the spans; and the shape of the tree over its
// intervals.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { IndexColumns } from '../../../src/index/columns.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { Span, UpperBound } from '../../../src/index/lookup/interval.ts';
import {
  type BoundTables,
  buildBoundPrefixes,
  layMaxHi,
  positionOf,
} from '../../../src/index/lookup/interval-index.ts';
import { Matches } from '../../../src/index/lookup/matches.ts';
import { productTypeFacts } from '../../../src/index/product-type.ts';
import { isStrictScheme } from '../../../src/index/versions/version-key.ts';
import { STRICT_TYPES } from '../../../src/index/versions/version-of-type.ts';
import { isVulnerable, match, updateOf } from '../../support/answers/verdicts.ts';
import { DRAWN_PRODUCTS, drawFeed, drawLookup } from '../../support/feeds/drawn-feeds.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Found, type Lookup, scan, scanForUpdate } from '../../support/oracles/linear-scan.ts';
import { printedSeed } from '../../support/seed.ts';
import {
  compileGeneration,
  coreAdvisory,
  coreSpan,
  generationOf,
} from '../../support/snapshots/generation.ts';
import { volume } from '../../support/volume.ts';

const FEEDS = volume(500);
const VERSIONS_PER_FEED = 200;
const UPDATE_EVERY = 50; // the search over every known version is the slowest of the twins

/** What the index finds, in the same form. */
function find(generation: Generation, { product, version }: Lookup, matches: Matches): Found[] | undefined {
  if (!match(generation, product.type, product.slug, version, matches)) return undefined;
  return Array.from({ length: matches.count }, (_, i) => ({
    id: generation.idAt(matches.advisoryAt(i)),
    span: spanAt(generation, matches.spanAt(i)),
  }));
}

const fromUtf8 = new TextDecoder();
const BOUNDS: readonly (UpperBound | null)[] = [null, 'exclusive', 'inclusive', 'last-affected'];
const NO_VERSION = 0xffff_ffff;

function spanAt({ parts: { columns } }: Generation, row: number): Span {
  const { versionText, versionTextStart, spanFrom, spanTo, spanToBound, spanFixedIn } = columns;
  const textOf = (version: number): string | null =>
    version === NO_VERSION
      ? null
      : fromUtf8.decode(versionText.subarray(versionTextStart[version], versionTextStart[version + 1]));
  return {
    from: textOf(spanFrom[row]),
    to: textOf(spanTo[row]),
    toBound: BOUNDS[spanToBound[row]],
    fixedIn: textOf(spanFixedIn[row]),
  };
}

function assertTwins(
  generation: Generation,
  advisories: readonly Advisory[],
  lookup: Lookup,
  matches: Matches,
  asksUpdate: boolean,
): readonly Found[] | undefined {
  const expected = scan(advisories, lookup);
  const { product, version } = lookup;
  const found = find(generation, lookup, matches);
  const isHit = isVulnerable(generation, product.type, product.slug, version);
  const isFound = expected === undefined ? undefined : expected.length > 0;
  try {
    // Member by member first: assert's own comparison takes longer than the lookup and the scan.
    if (!isSame(found, expected)) assert.deepEqual(found, expected);
    assert.equal(isHit, isFound);
    const own = advisories.filter(
      (each) =>
        each.withdrawnAt === null && each.product.type === product.type && each.product.slug === product.slug,
    );
    if (!asksUpdate || expected === undefined) return expected;
    if (new Set(own.map(({ versionScheme }) => versionScheme)).size > 1) return expected;
    if (
      own.some(
        ({ versionScheme }) =>
          isStrictScheme(versionScheme) && !STRICT_TYPES[productTypeFacts(product.type).code],
      )
    )
      return expected;
    const update = updateOf(generation, product.type, product.slug, version);
    assert.equal(update, scanForUpdate(own, product, version));
    return expected;
  } catch (error) {
    const label = `${product.type} ${product.slug} ${version} of ${JSON.stringify(advisories)}`;
    throw new Error(`the twins differ on ${label}`, { cause: error });
  }
}

function isSame(a: readonly Found[] | undefined, b: readonly Found[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.length === b.length &&
    a.every(({ id, span }, i) => {
      const { id: otherId, span: other } = b[i];
      return (
        id === otherId &&
        span.from === other.from &&
        span.to === other.to &&
        span.toBound === other.toBound &&
        span.fixedIn === other.fixedIn
      );
    })
  );
}

test('the index finds what a scan of the spans finds, on generated lookups', (t) => {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  const matches = new Matches();
  let hits = 0;
  let manySpans = 0;
  let invalid = 0;
  for (let feed = 0; feed < FEEDS; feed++) {
    const drawn = drawFeed(dice);
    const generation = compileGeneration(folder, drawn.advisories);
    for (let i = 0; i < VERSIONS_PER_FEED; i++) {
      const lookup = drawLookup(dice, drawn);
      const found = assertTwins(generation, drawn.advisories, lookup, matches, i % UPDATE_EVERY === 0);
      if (found === undefined) invalid++;
      else if (found.length > 0) hits++;
      if (found !== undefined && found.length > 1) manySpans++;
    }
  }
  const total = FEEDS * VERSIONS_PER_FEED;
  t.diagnostic(`${total} lookups: ${hits} with hits, ${manySpans} with several, ${invalid} not versions`);
  // Lookups that all hit or all miss would test little.
  assert.ok(hits > total * 0.3 && hits < total * 0.95, `${hits} hits`);
  assert.ok(manySpans > total * 0.1 && invalid > total * 0.005);
});

function assertIds(generation: Generation, version: string, expected: readonly number[]): void {
  const found = find(generation, { product: DRAWN_PRODUCTS[0], version }, new Matches());
  assert.deepEqual(
    found?.map(({ id }) => id),
    expected,
    version,
  );
  assert.equal(isVulnerable(generation, 'plugin', 'gallery', version), expected.length > 0, version);
}

test('a span without bounds contains everything, from the lowest version to the highest', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { spans: [coreSpan(null, null)] })]);
  for (const version of ['0', '#1', '1.0', '99999999999999999999', '9.9pl9'])
    assertIds(generation, version, [1]);
});

test('a product with only withdrawn advisories has no interval and matches nothing', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { withdrawnAt: 1_700_000_000 })]);
  assertIds(generation, '1.0', []);
});

test('the lower end of a span is inside it, and so is the upper unless it is exclusive', (t) => {
  const bounds = [null, 'exclusive', 'inclusive', 'last-affected'] as const;
  const generation = generationOf(
    t,
    bounds.map((bound, i) => coreAdvisory(i + 1, { spans: [coreSpan('1.1', '1.3', bound)] })),
  );
  assertIds(generation, '1.0.9', []);
  assertIds(generation, '1.1', [4, 3, 2, 1]);
  assertIds(generation, '1.2', [4, 3, 2, 1]);
  assertIds(generation, '1.3', [4, 3, 1]);
  assertIds(generation, '1.3.0', [4, 3, 1]);
  assertIds(generation, '1.3.0.1', []);
});

test('bounds that differ in text but not in order are one bound', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { spans: [coreSpan('v1.1', '1.3', 'exclusive')] }),
    coreAdvisory(2, { spans: [coreSpan('1.3', 'V1.4', 'inclusive')] }),
    coreAdvisory(3, { spans: [coreSpan('v1.3', '1.3', 'inclusive')] }),
  ]);
  assertIds(generation, '1.1', [1]);
  assertIds(generation, '1.3', [3, 2]);
  assertIds(generation, '1.4', [2]);
});

test('a long span is found behind shorter ones that begin later', (t) => {
  // One long interval first, then many short ones: a search by lower bound alone walks past it.
  const short = Array.from({ length: 40 }, (_, i) => coreSpan(`1.${i}.1`, `1.${i}.2`));
  for (let count = 0; count <= short.length; count++) {
    const generation = generationOf(t, [
      coreAdvisory(1, { spans: [coreSpan('1.0.0', '3.0')] }),
      ...short.slice(0, count).map((each, i) => coreAdvisory(i + 2, { spans: [each] })),
    ]);
    assertIds(generation, '2.0', [1]);
    assertIds(generation, '3.0.1', []);
  }
});

test('the middle of every range in the tree holds the greatest end in that range', (t) => {
  const dice = new Dice(printedSeed(t));
  const check = (hi: Uint32Array, maxHi: Uint32Array, first: number, last: number): void => {
    if (first >= last) return;
    const mid = (first + last) >>> 1;
    assert.equal(maxHi[mid], Math.max(...hi.subarray(first, last)));
    check(hi, maxHi, first, mid);
    check(hi, maxHi, mid + 1, last);
  };
  for (let length = 0; length <= 70; length++) {
    const hi = Uint32Array.from({ length: length + 4 }, () => dice.whole(0, 30));
    const maxHi = new Uint32Array(hi.length).fill(99);
    layMaxHi(hi, maxHi, 2, length + 2);
    check(hi, maxHi, 2, length + 2);
    assert.deepEqual([maxHi[0], maxHi[1], maxHi[length + 2], maxHi[length + 3]], [99, 99, 99, 99]);
  }
});

/** The columns of one group whose bounds have these keys. */
function boundsOf(keys: readonly Uint8Array[]): BoundTables {
  const columns = {
    boundVersion: Uint32Array.from(keys, (_, i) => keys.length - 1 - i), // versions lie elsewhere than bounds
    versionKey: Uint8Array.from(keys.toReversed().flatMap((key) => [...key])),
    versionKeyStart: Uint32Array.from([0, ...keys.toReversed()], () => 0),
  };
  keys.toReversed().forEach((key, i) => {
    columns.versionKeyStart[i + 1] = columns.versionKeyStart[i] + key.length;
  });
  const all = columns as Partial<IndexColumns> as IndexColumns; // no other is read
  return { columns: all, boundPrefix: buildBoundPrefixes(all) };
}

test('a position is found by prefixes of keys as by the keys, however much of a key they tell', (t) => {
  const dice = new Dice(printedSeed(t));
  const drawKey = (): Uint8Array =>
    Uint8Array.from({ length: dice.whole(0, 9) }, () => dice.pick([0, 0, 1, 255, 255]));
  for (let i = 0; i < 300; i++) {
    const drawn = Array.from({ length: dice.whole(0, 40) }, drawKey);
    const keys = [...new Map(drawn.map((key) => [key.join(), key])).values()].sort(Buffer.compare);
    const bounds = boundsOf(keys);
    for (const key of [...keys, ...Array.from({ length: 40 }, drawKey)]) {
      const below = keys.filter((each) => Buffer.compare(each, key) < 0).length;
      const isBound = keys.some((each) => Buffer.compare(each, key) === 0);
      const expected = 2 * below + (isBound ? 1 : 0);
      assert.equal(
        positionOf(bounds, 0, keys.length, key, key.length),
        expected,
        `${key} among ${keys.join(' | ')}`,
      );
    }
  }
});
