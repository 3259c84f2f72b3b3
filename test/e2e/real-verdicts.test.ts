// What must be true of every verdict over the real feeds, apart from the expected answers: versions that
// differ only in a final .0 are equal, no fix is itself affected, and the version to update to is the lowest
// clear one. Also the counts of the same data, since reading it takes longest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory, Product } from '../../src/compiler/advisory.ts';
import { Dice } from '../../src/generator/dice.ts';
import { FeedImporter } from '../../src/importers/feed/feed.ts';
import type { Generation } from '../../src/index/generation.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { endOfSpans, firstSpan } from '../../src/index/span-list.ts';
import { servedItems } from '../support/answers/served-items.ts';
import { match, updateOf } from '../support/answers/verdicts.ts';
import { realDataOptions, realFeedPath } from '../support/feeds/real-data.ts';
import { effectiveFix, holds, isOrdered, scanForUpdate } from '../support/oracles/linear-scan.ts';
import { printedSeed } from '../support/seed.ts';
import { assertCounted } from '../support/snapshots/counted.ts';
import { realGeneration } from '../support/snapshots/generation.ts';
import { volume } from '../support/volume.ts';

const FEEDS = ['wordpress', 'npm'] as const;
const PRODUCTS_ASKED = volume(2_500);
const VERSIONS_EACH = 4;
const CORE_VERSIONS_ASKED = 2; // each takes the slow search several seconds

async function readAdvisories(): Promise<Advisory[]> {
  const importer = new FeedImporter();
  const advisories: Advisory[] = [];
  for (const feed of FEEDS) {
    for await (const entries of importer.read(realFeedPath(feed))) {
      for (const entry of entries) {
        if (entry.kind === 'advisory') advisories.push(entry.advisory);
        else assert.fail(JSON.stringify(entry.reject.problems));
      }
    }
  }
  return advisories;
}

const productKey = ({ type, slug }: Product): string => `${type}/${slug}`;

/** The distinct bounds and fixes of some advisories. */
function namedVersions(advisories: readonly Advisory[]): string[] {
  const texts = advisories.flatMap((advisory) =>
    advisory.spans
      .flatMap((span) => [span.from, span.to, effectiveFix(advisory, span)])
      .filter((text) => text !== null && isOrdered(advisory.versionScheme, text)),
  );
  return [...new Set(texts)] as string[]; // null was filtered out
}

function matchedIds(generation: Generation, { type, slug }: Product, version: string): number[] {
  const matches = new Matches();
  assert.ok(match(generation, type, slug, version, matches), version);
  return Array.from({ length: matches.count }, (_, i) => generation.idAt(matches.advisoryAt(i)));
}

function assertCoreIsPadded(generation: Generation, advisories: readonly Advisory[]): number {
  const core = advisories.filter(({ product }) => product.type === 'wordpress');
  const [{ product }] = core;
  const versions = namedVersions(core).map((version) => version.replace(/(?:\.0)+$/, ''));
  const asked = [...new Set(versions)];
  for (const version of asked) {
    const ids = matchedIds(generation, product, version);
    assert.deepEqual(matchedIds(generation, product, `${version}.0`), ids, version);
    // Every pair of an advisory and a version, by the slow rule.
    const expected = core.filter(({ spans }) =>
      spans.some((span) => holds('wordpress', span, `${version}.0`)),
    );
    assert.deepEqual(
      ids,
      expected.map(({ id }) => id).sort((a, b) => b - a),
      version,
    );
  }
  return asked.length * core.length;
}

function assertFixesFix(generation: Generation, byId: ReadonlyMap<number, Advisory>): number {
  const fixesOf = (advisory: Advisory): Set<string | null> =>
    new Set(advisory.spans.map((span) => effectiveFix(advisory, span)));
  let count = 0;
  for (const platform of PLATFORMS) {
    for (const { id, version_info } of servedItems(generation, generation.published(platform))) {
      const advisory = byId.get(id);
      assert.ok(advisory);
      const { versionScheme: scheme, spans } = advisory;
      const ranges = version_info.patched_ranges as readonly { readonly fixed_in: string }[];
      const shown = [version_info.fixed, ...ranges.map(({ fixed_in }) => fixed_in)];
      for (const fix of shown.filter((text) => text !== '')) {
        count++;
        assert.ok(fixesOf(advisory).has(fix), `${id}: ${fix}`);
        if (!isOrdered(scheme, fix)) continue;
        assert.ok(!spans.some((span) => holds(scheme, span, fix)), `${id}: ${fix} is itself affected`);
      }
    }
  }
  return count;
}

/** Each span's own fix, which is what `matched_range` shows. */
function assertSpansAreFixed(
  { parts: { columns } }: Generation,
  byId: ReadonlyMap<number, Advisory>,
): number {
  const { advisoryId, spanFixedIn, versionText, versionTextStart } = columns;
  let count = 0;
  advisoryId.forEach((id, ordinal) => {
    const advisory = byId.get(id);
    assert.ok(advisory);
    const { versionScheme: scheme, spans } = advisory;
    for (const fix of spanFixedIn.subarray(firstSpan(columns, ordinal), endOfSpans(columns, ordinal))) {
      if (fix === 0xffff_ffff) continue;
      const text = Buffer.from(
        versionText.slice(versionTextStart[fix], versionTextStart[fix + 1]),
      ).toString();
      count++;
      if (isOrdered(scheme, text)) {
        assert.ok(!spans.some((span) => holds(scheme, span, text)), `${id}: ${text} is itself affected`);
      }
    }
  });
  return count;
}

function assertUpdates(generation: Generation, advisories: readonly Advisory[], dice: Dice): number {
  const byProduct = new Map<string, Advisory[]>();
  for (const advisory of advisories) {
    const key = productKey(advisory.product);
    byProduct.set(key, [...(byProduct.get(key) ?? []), advisory]);
  }
  let count = 0;
  const ask = (own: readonly Advisory[], version: string): void => {
    const [{ product }] = own;
    const got = updateOf(generation, product.type, product.slug, version);
    assert.equal(got, scanForUpdate(own, product, version), `${productKey(product)} ${version}`);
    count++;
  };
  const products = [...byProduct.values()];
  for (let i = 0; i < PRODUCTS_ASKED; i++) {
    const own = dice.pick(products);
    if (own[0].product.type === 'wordpress') continue;
    const named = namedVersions(own);
    if (named.length === 0) continue;
    for (let each = 0; each < VERSIONS_EACH; each++) ask(own, dice.pick(named));
  }
  const core = byProduct.get('wordpress/wordpress');
  assert.ok(core);
  const named = namedVersions(core);
  for (let i = 0; i < CORE_VERSIONS_ASKED; i++) ask(core, dice.pick(named));
  return count;
}

test('invariants of every verdict over the real feeds', realDataOptions, async (t) => {
  const advisories = await readAdvisories();
  const byId = new Map(advisories.map((advisory) => [advisory.id, advisory]));
  const published = advisories.filter(({ withdrawnAt }) => withdrawnAt === null);
  const generation = await realGeneration(...FEEDS);

  await t.test('X.Y and X.Y.0 of WordPress itself get the same verdict from every advisory', (t) => {
    t.diagnostic(`${assertCoreIsPadded(generation, published)} pairs of an advisory and a version`);
  });
  await t.test('no fix in an answer is affected by its own advisory', (t) => {
    const { fixCounts } = generation.parts.columns;
    t.diagnostic(
      `${assertFixesFix(generation, byId)} fixes of items, ${assertSpansAreFixed(generation, byId)} of spans`,
    );
    t.diagnostic(`${fixCounts[0]} fixes were replaced by another, ${fixCounts[1]} dropped`);
    assert.ok(fixCounts[0] + fixCounts[1] > 100);
  });
  await t.test('the version to update to is the one that a search of all named versions finds', (t) => {
    t.diagnostic(`${assertUpdates(generation, published, new Dice(printedSeed(t)))} versions asked`);
  });
  await t.test('its statistics are the counts of a walk over the advisories', () => {
    assertCounted(generation, advisories);
  });
});
