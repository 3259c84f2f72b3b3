// How spans appear in `affected`, and which of their fixes are the lowest and the highest.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import semver from 'semver';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { NONE } from '../../../src/index/columns.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { fixRange } from '../../../src/index/items/affected-range.ts';
import { completeSemver } from '../../../src/index/versions/complete.ts';
import { versionKey } from '../../../src/index/versions/version-key.ts';
import { servedItems } from '../../support/answers/served-items.ts';
import { isVulnerable } from '../../support/answers/verdicts.ts';
import { writeFeed } from '../../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { realDataOptions } from '../../support/feeds/real-data.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import {
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
  generationOfFeeds,
  realGeneration,
} from '../../support/snapshots/generation.ts';

const fromUtf8 = new TextDecoder();

function versionText({ parts }: Generation, version: number): string {
  const { versionText, versionTextStart } = parts.columns;
  return fromUtf8.decode(versionText.subarray(versionTextStart[version], versionTextStart[version + 1]));
}

/** `affected` of one advisory as served. */
function affectedOf(t: TestContext, changes: Partial<Advisory>): string {
  const generation = generationOf(t, [coreAdvisory(1, changes)]);
  const [{ version_info }] = servedItems(generation, { start: 0, end: 1 });
  return version_info.affected;
}

/** The lowest and the highest fix as text. */
function fixesOf(t: TestContext, changes: Partial<Advisory>): (string | null)[] {
  const generation = generationOf(t, [coreAdvisory(1, changes)]);
  const { lowest, highest } = fixRange(generation.parts.columns, 0);
  return [lowest, highest].map((fix) => (fix === NONE ? null : versionText(generation, fix)));
}

test('a span becomes the expression for its ends', (t) => {
  for (const [span, expression] of [
    [coreSpan(null, null), '*'],
    [coreSpan(null, '1.5', 'inclusive'), '<= 1.5'],
    [coreSpan(null, '1.5', 'last-affected'), '<= 1.5'],
    [coreSpan(null, '1.5', null), '<= 1.5'],
    [coreSpan(null, '1.5', 'exclusive'), '< 1.5'],
    [coreSpan('1.0', null), '>= 1.0'],
    [coreSpan('1.0', '1.5', 'inclusive'), '>= 1.0 <= 1.5'],
    [coreSpan('1.0', '1.5', 'exclusive'), '>= 1.0 < 1.5'],
    [coreSpan('1.5', '1.5', 'inclusive'), '1.5'],
    [coreSpan('1.5', '1.5', 'last-affected'), '1.5'],
    [coreSpan('1.5', '1.5', null), '1.5'],
  ] as const) {
    assert.equal(affectedOf(t, { spans: [span] }), expression);
  }
});

test('a semver bound is written in strict form: short versions completed, loose ones normalised', () => {
  for (const [short, full] of [
    ['1', '1.0.0'],
    ['1.2', '1.2.0'],
    ['v1.2', '1.2.0'],
    ['= v1', '1.0.0'],
    [' =1.2.3 ', '1.2.3'],
    ['0', '0.0.0'],
    ['1.2.3', '1.2.3'],
    ['v1.2.3-rc.1+b.2', '1.2.3-rc.1+b.2'],
    ['2025.08.14', '2025.8.14'],
    ['1.2.3beta.01', '1.2.3-beta.1'],
    ['1.2.34.5', '1.2.3-4.5'],
    ['1.2.3-', '1.2.3--'],
  ] as const) {
    assert.equal(completeSemver(short), full);
    assert.deepEqual(versionKey('semver', full), versionKey('semver', short), `${short} changed its order`);
    assert.notEqual(semver.valid(full), null);
  }
});

test('a short bound inside a range is not "any of these" to node-semver', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('npm', 'a'), spans: [coreSpan('1', '1.2')] }),
  ]);
  const [{ version_info }] = servedItems(generation, generation.published('npm'));
  assert.equal(version_info.affected, '>= 1.0.0 <= 1.2.0');
  assert.ok(!semver.satisfies('1.2.1', version_info.affected));
  assert.equal(isVulnerable(generation, 'npm', 'a', '1.2.1'), false);
});

test('spans are joined in ascending order of versions, whatever their order in the feed', (t) => {
  const spans = [
    coreSpan('2.0', '2.10', 'exclusive'),
    coreSpan('10.0', null),
    coreSpan(null, '1.9'),
    coreSpan('2.0', '2.9', 'last-affected'),
    coreSpan('3.1', '3.1', null),
  ];
  const expected = '<= 1.9 || >= 2.0 <= 2.9 || >= 2.0 < 2.10 || 3.1 || >= 10.0';
  assert.equal(affectedOf(t, { spans }), expected);
  assert.equal(affectedOf(t, { spans: [...spans].reverse() }), expected);
});

test('an unbounded span among others is a star, sorted by its lower bound', (t) => {
  const spans = [coreSpan('1.0', '2.0'), coreSpan(null, null), coreSpan(null, '1.0', 'exclusive')];
  assert.equal(affectedOf(t, { spans }), '< 1.0 || * || >= 1.0 <= 2.0');
});

test('fixes compare as versions, not as text', (t) => {
  const spans = ['1.9', '1.10', '1.2'].map((fix) => coreSpan(null, '1.0', 'inclusive', fix));
  assert.deepEqual(fixesOf(t, { spans }), ['1.2', '1.10']);
  assert.deepEqual(fixesOf(t, { spans, versionScheme: 'decimal' }), ['1.10', '1.9']);
});

test('an advisory without a fix has neither a lowest nor a highest one', (t) => {
  assert.deepEqual(fixesOf(t, { spans: [coreSpan(null, '1.0'), coreSpan('2.0', '2.1')] }), [null, null]);
});

test('spans without a fix are ignored if others have one', (t) => {
  const spans = [coreSpan(null, '1.0'), coreSpan('2.0', '2.1', 'inclusive', '2.2')];
  assert.deepEqual(fixesOf(t, { spans }), ['2.2', '2.2']);
});

test('a fix that is not a version is the lowest or highest only if there is no other', (t) => {
  const product = coreProduct('npm', 'a');
  const withFixes = (...fixes: string[]): Partial<Advisory> => ({
    product,
    spans: fixes.map((fix) => coreSpan(null, '1.0.0', 'inclusive', fix)),
  });
  assert.deepEqual(fixesOf(t, withFixes('see notes', '2.0.0', '1.5.0')), ['1.5.0', '2.0.0']);
  assert.deepEqual(fixesOf(t, withFixes('1.5.0', 'see notes')), ['1.5.0', '1.5.0']);
  assert.deepEqual(fixesOf(t, withFixes('see notes')), ['see notes', 'see notes']);
});

function assertValidRanges(t: TestContext, generation: Generation): void {
  const items = servedItems(generation, generation.published('npm'));
  t.diagnostic(`${items.length} npm advisories`);
  assert.ok(items.length > 300);
  for (const { id, version_info } of items) {
    assert.notEqual(semver.validRange(version_info.affected), null, `${id}: ${version_info.affected}`);
  }
}

test('`affected` of every invented npm advisory is a valid node-semver range', async (t) => {
  const feed = join(temporaryFolder(t), 'feed.ndjson');
  const records = inventedRecords(6_000, printedSeed(t)).filter(({ product }) => product.type === 'npm');
  writeFeed(feed, records.map(feedJson));
  assertValidRanges(t, await generationOfFeeds(t, [feed]));
});

test('`affected` of every real npm advisory is a valid node-semver range', realDataOptions, async (t) => {
  assertValidRanges(t, await realGeneration('npm'));
});
