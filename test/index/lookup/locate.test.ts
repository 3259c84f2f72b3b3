// The places of versions: which kind they are, which versions share one, and how long one is valid. What
// applies there is compared with a slow twin in interval-index.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from '../../../src/index/generation.ts';
import { type LocateResult, Locator } from '../../../src/index/lookup/locate.ts';
import { Matches } from '../../../src/index/lookup/matches.ts';
import { PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';
import { MAX_VERSION_BYTES } from '../../../src/index/versions/version-key.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';
import { words } from '../../support/words.ts';

function place(generation: Generation, type: ProductType, name: string, version: string): LocateResult {
  return generation.locate(type, name, version, new Locator());
}

const mixed = coreProduct('theme', 'mixed');

function generationWithAllKinds(t: Parameters<typeof generationOf>[0]): Generation {
  const spans = [coreSpan('1.0', '2.0')];
  return generationOf(t, [
    coreAdvisory(1, { spans }),
    coreAdvisory(2, { product: coreProduct('npm', 'lib'), spans }),
    coreAdvisory(3, { product: mixed, spans }),
    coreAdvisory(4, { product: mixed, versionScheme: 'semver', spans }),
    coreAdvisory(5, { product: coreProduct('plugin', 'strict'), versionScheme: 'semver', spans }),
    coreAdvisory(6, { product: coreProduct('npm', 'gone'), withdrawnAt: 1_700_000_000 }),
    coreAdvisory(7, { product: coreProduct('npm', 'malware'), spans: [coreSpan(null, null)] }),
    coreAdvisory(8, { product: coreProduct('npm', 'more-malware'), spans: [coreSpan(null, null)] }),
  ]);
}

test('the kind of a place says whether the text is a version, and under how many schemes it has a key', (t) => {
  const generation = generationWithAllKinds(t);
  const kindOf = (type: ProductType, name: string, version: string): string =>
    place(generation, type, name, version).kind;
  assert.equal(kindOf('plugin', 'gallery', '1.5'), 'segment');
  assert.equal(kindOf('npm', 'lib', '1.5.0'), 'segment');
  assert.equal(kindOf('theme', 'mixed', '1.5.0'), 'segments');
  assert.equal(kindOf('theme', 'mixed', '1.5.0.0'), 'segment', 'no semver version');
  assert.equal(kindOf('plugin', 'strict', '1.5.0'), 'segment');
  assert.equal(kindOf('plugin', 'strict', 'trunk 5'), 'nowhere', 'a version of a plugin, but of no group');
  for (const name of ['gone', 'unknown']) {
    assert.equal(kindOf('npm', name, '1.0.0'), 'nowhere');
    assert.equal(kindOf('npm', name, 'latest'), 'not-a-version');
  }
  assert.equal(kindOf('plugin', 'unknown', '-'), 'not-a-version');
  assert.equal(kindOf('plugin', 'gallery', '-'), 'not-a-version');
  assert.equal(kindOf('npm', 'lib', '1.0.0.0'), 'not-a-version');
});

test('a text that no product of the type can have as a version is none under any scheme of a product', (t) => {
  const generation = generationWithAllKinds(t);
  const kindsOf = (type: ProductType, version: string, ...names: string[]): readonly string[] =>
    names.map((name) => place(generation, type, name, version).kind);
  const none = 'not-a-version';
  assert.deepEqual(kindsOf('plugin', '-', 'unknown', 'gallery', 'strict'), [none, none, none]);
  assert.deepEqual(kindsOf('theme', '-', 'unknown', 'mixed'), [none, none]);
  assert.deepEqual(kindsOf('npm', '1.0.0.0', 'unknown', 'gone', 'lib'), [none, none, none]);
  const tooLong = '1'.repeat(MAX_VERSION_BYTES + 1);
  assert.deepEqual(kindsOf('plugin', tooLong, 'unknown', 'gallery', 'strict'), [none, none, none]);
  assert.deepEqual(kindsOf('theme', tooLong, 'unknown', 'mixed'), [none, none]);
  assert.deepEqual(kindsOf('npm', tooLong, 'unknown', 'gone', 'lib'), [none, none, none]);
});

test('the versions between two bounds are one segment, and every segment has a number of its own', (t) => {
  const generation = generationWithAllKinds(t);
  const numberOf = (type: ProductType, name: string, version: string): number => {
    const found = place(generation, type, name, version);
    assert.ok(found.kind === 'segment', version);
    return found.number;
  };
  const inOrder = ['0.9', '1.0', '1.5', '2.0', '3'];
  const numbers = (
    [
      ['plugin', 'gallery'],
      ['npm', 'lib'],
      ['plugin', 'strict'],
    ] as const
  ).flatMap(([type, name]) => inOrder.map((version) => numberOf(type, name, version)));
  const inFour = ['0.9.0.0', '1.0.0.0', '1.5.0.0', '2.0.0.0', '3.0.0.0']; // not semver
  numbers.push(...inFour.map((version) => numberOf('theme', 'mixed', version)));
  const everyVersion = words('0.9.0 1.0.0 3.0.0').map((version) => numberOf('npm', 'malware', version));
  assert.equal(new Set(everyVersion).size, 1);
  numbers.push(everyVersion[0], numberOf('npm', 'more-malware', '1.0.0'));
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(numberOf('plugin', 'gallery', '1.9.9'), numberOf('plugin', 'gallery', '1.0.1'));
  assert.equal(numberOf('plugin', 'gallery', '1.0.0'), numberOf('plugin', 'gallery', '1.0'));
});

test('a locator reuses the place of its previous call; another locator does not', (t) => {
  const generation = generationWithAllKinds(t);
  const matches = new Matches();
  const locator = new Locator();
  const outside = generation.locate('plugin', 'gallery', '3', locator);
  const other = place(generation, 'plugin', 'gallery', '3');
  assert.equal(generation.locate('plugin', 'gallery', '1.5', locator), outside);
  assert.ok(outside.kind === 'segment' && other.kind === 'segment');
  assert.equal(generation.any(outside), true);
  assert.equal(generation.any(other), false);
  generation.collect(outside, matches);
  assert.equal(matches.count, 1);
  generation.collect(other, matches);
  assert.equal(matches.count, 0, 'what was collected before is gone');
});

test('nothing applies nowhere, and several segments are asked together', (t) => {
  const generation = generationWithAllKinds(t);
  const matches = new Matches();
  const ask = (type: ProductType, name: string, version: string): readonly unknown[] => {
    const found = place(generation, type, name, version);
    assert.ok(found.kind !== 'not-a-version');
    generation.collect(found, matches);
    const ids = Array.from({ length: matches.count }, (_, i) => generation.idAt(matches.advisoryAt(i)));
    return [generation.any(found), ...ids];
  };
  assert.deepEqual(ask('theme', 'mixed', '1.5.0'), [true, 4, 3]);
  assert.deepEqual(ask('theme', 'mixed', '2.0.0-beta'), [true, 4, 3], 'below 2.0.0 under both schemes');
  assert.deepEqual(ask('theme', 'mixed', '1.5.0.0'), [true, 3]);
  assert.deepEqual(ask('plugin', 'strict', 'trunk 5'), [false]);
  assert.deepEqual(ask('npm', 'unknown', '1.5.0'), [false]);
});

const TEXTS =
  '1.0.0 0 1 1.5.0-beta 1.0+local 1.0.0+build v1.2 latest * - 1.0.0.0 2024.1 1!2.0 dev-main trunk 1.0.a1 01.2.3 x';

test('a product of which every version is affected has no group, and answers as one that has', (t) => {
  for (const type of PRODUCT_TYPES) {
    const whole = coreProduct(type, 'whole');
    const bounded = coreProduct(type, 'bounded');
    const spans = [coreSpan(null, null)];
    const generation = generationOf(t, [
      coreAdvisory(1, { product: whole, spans }),
      coreAdvisory(2, { product: bounded, spans }),
      coreAdvisory(3, { product: whole, spans }),
      coreAdvisory(4, { product: bounded, spans }),
      coreAdvisory(5, { product: bounded, spans: [coreSpan('77.0.1', '77.0.1')] }),
    ]);
    const { productGroupStart } = generation.parts.columns;
    const groupsOf = (product: number): number => productGroupStart[product + 1] - productGroupStart[product];
    assert.deepEqual([0, 1].map(groupsOf), [1, 0], type);
    const matches = new Matches();
    const ask = (name: string, version: string): readonly unknown[] => {
      const found = place(generation, type, name, version);
      if (found.kind === 'not-a-version') return [found.kind];
      generation.collect(found, matches);
      const ids = Array.from({ length: matches.count }, (_, i) => generation.idAt(matches.advisoryAt(i)));
      const spansAt = Array.from({ length: matches.count }, (_, i) => matches.spanAt(i));
      return [generation.any(found), ids, spansAt, generation.findUpdate(found)];
    };
    let affected = 0;
    for (const version of [...words(TEXTS), '', '1 0', '1'.repeat(MAX_VERSION_BYTES + 1)]) {
      const got = ask('whole', version);
      const [any, ids, ...others] = ask('bounded', version);
      const expected = Array.isArray(ids) ? [any, ids.map((id) => id - 1), ...others] : [any];
      assert.deepEqual(got, expected, `${type} ${version}`);
      if (any === true) affected++;
    }
    assert.ok(affected > 3, type);
  }
});
