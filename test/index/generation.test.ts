// One snapshot's data as handlers query it: which product a name means, what applies to a version, which
// advisory has an id. Most of the matching is compared with a slow twin in interval-index.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Generation } from '../../src/index/generation.ts';
import { Locator } from '../../src/index/lookup/locate.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import type { ProductType } from '../../src/index/product-type.ts';
import { isVulnerable, match } from '../support/answers/verdicts.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../support/snapshots/generation.ts';

const WITHDRAWN = { withdrawnAt: 1_700_000_000 };

/** Ids that apply, or undefined when the text is not a version. */
function matched(generation: Generation, type: ProductType, name: string, version: string) {
  const matches = new Matches();
  if (!match(generation, type, name, version, matches)) return undefined;
  return Array.from({ length: matches.count }, (_, i) => generation.idAt(matches.advisoryAt(i)));
}

test('a WordPress slug matches in any case', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  for (const name of ['gallery', 'Gallery', 'GALLERY']) {
    assert.deepEqual(matched(generation, 'plugin', name, '1.0'), [1]);
    assert.equal(isVulnerable(generation, 'plugin', name, '1.0'), true);
  }
});

test('an npm name is looked up as given, then lower-cased', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('npm', 'gallery') }),
    coreAdvisory(2, { product: coreProduct('npm', 'Gallery') }),
    coreAdvisory(3, { product: coreProduct('npm', 'OnlyUpper') }),
  ]);
  assert.deepEqual(matched(generation, 'npm', 'gallery', '1.0.0'), [1]);
  assert.deepEqual(matched(generation, 'npm', 'Gallery', '1.0.0'), [2]);
  assert.deepEqual(matched(generation, 'npm', 'GALLERY', '1.0.0'), [1]);
  assert.deepEqual(matched(generation, 'npm', 'onlyupper', '1.0.0'), []);
});

test('unknown products and those with only withdrawn advisories match nothing, but versions are validated', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('npm', 'gone'), ...WITHDRAWN }),
    coreAdvisory(2),
  ]);
  for (const name of ['gone', 'never-there']) {
    for (const version of ['1.0.0', '2025.08.14']) {
      assert.deepEqual(matched(generation, 'npm', name, version), []);
      assert.equal(isVulnerable(generation, 'npm', name, version), false);
    }
    for (const version of ['latest', '']) {
      assert.equal(matched(generation, 'npm', name, version), undefined, version);
      assert.equal(isVulnerable(generation, 'npm', name, version), undefined, version);
    }
  }
});

test('a text that is not a version has no answer for a known npm package', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { product: coreProduct('npm', 'gallery') })]);
  for (const version of ['', 'latest', '^1.0.0', '1.x', '1.2.3.4', '1.0.0.0']) {
    assert.equal(matched(generation, 'npm', 'gallery', version), undefined, version);
    assert.equal(isVulnerable(generation, 'npm', 'gallery', version), undefined, version);
  }
  for (const version of ['1', '1.2', 'v1.2.3', '=1.2.3', '01.0.0']) {
    assert.deepEqual(matched(generation, 'npm', 'gallery', version), [1], version);
  }
});

test('any text of at most 256 bytes with a letter or digit is a WordPress version', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { spans: [coreSpan(null, null)] })]);
  for (const version of ['latest', '1.1.', ' 1', '#2', `${'é'.repeat(127)}v1`]) {
    assert.deepEqual(matched(generation, 'plugin', 'gallery', version), [1], version);
  }
  for (const version of ['', ' ', '-', '*', '#', 'é']) {
    for (const name of ['gallery', 'unknown']) {
      assert.equal(matched(generation, 'plugin', name, version), undefined, version);
      assert.equal(isVulnerable(generation, 'plugin', name, version), undefined, version);
    }
  }
  assert.equal(matched(generation, 'plugin', 'gallery', '1'.repeat(257)), undefined);
});

test('a product with several schemes is searched under each, and one that accepts the version is enough', (t) => {
  const product = coreProduct('plugin', 'gallery');
  const generation = generationOf(t, [
    coreAdvisory(1, { product, versionScheme: 'php', spans: [coreSpan(null, '3.41')] }),
    coreAdvisory(2, { product, versionScheme: 'decimal', spans: [coreSpan(null, '3.41')] }),
    coreAdvisory(3, { product, versionScheme: 'semver', spans: [coreSpan(null, '3.41')] }),
  ]);
  assert.deepEqual(matched(generation, 'plugin', 'gallery', '3.5'), [3, 1]);
  assert.deepEqual(matched(generation, 'plugin', 'gallery', '3.40.9.9'), [2, 1]);
  assert.equal(isVulnerable(generation, 'plugin', 'gallery', '3.6'), true);
  assert.equal(isVulnerable(generation, 'plugin', 'gallery', '3.6.0.0'), true);
  assert.equal(isVulnerable(generation, 'plugin', 'gallery', '4'), false);
});

test('a product lists its published advisories by descending id', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1),
    coreAdvisory(4, WITHDRAWN),
    coreAdvisory(3),
    coreAdvisory(2, { product: coreProduct('plugin', 'other') }),
  ]);
  const ordinals = generation.advisoriesOf(generation.findProduct('plugin', 'gallery')!);
  assert.deepEqual(
    Array.from(ordinals, (ordinal) => generation.idAt(ordinal)),
    [3, 1],
  );
  assert.equal(generation.advisoryCount, 4);
  assert.equal(generation.findProduct('theme', 'gallery'), undefined);
});

test('a non-numeric id is tried as a PSID, then as an alias, which prefers published over withdrawn advisories', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { cves: ['2026-1'], psid: 'aaaaaaaaaaaa' }),
    coreAdvisory(2, { cves: ['2026-1', '2026-2'], ...WITHDRAWN }),
    coreAdvisory(3, { cves: ['2026-3'], ghsa: 'GHSA-aaaa-bbbb-cccc' }),
    coreAdvisory(4, { cves: ['2026-3'] }),
  ]);
  const named = (text: string): number[] =>
    generation.findNamed(text).map((ordinal) => generation.idAt(ordinal));
  assert.deepEqual(named('AAAAaaaaAAAA'), [1]);
  assert.deepEqual(named('cve-2026-1'), [1]);
  assert.deepEqual(named('CVE-2026-2'), [2]);
  assert.deepEqual(named('2026-3'), [4, 3]);
  assert.deepEqual(named('ghsa-AAAA-bbbb-cccc'), [3]);
  assert.deepEqual(named('bbbbbbbbbbbb'), []);
  assert.equal(generation.findId(9), undefined);
  assert.equal(generation.idAt(generation.findId(2)!), 2);
});

test('siblings are the advisories that have the same source id, in the same letters', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { sourceId: 'GHSA-aaaa', product: coreProduct('plugin', 'one') }),
    coreAdvisory(2, { sourceId: 'GHSA-aaaa', product: coreProduct('npm', 'two'), ...WITHDRAWN }),
    coreAdvisory(3, { sourceId: 'other', aliases: ['GHSA-aaaa'] }),
    coreAdvisory(4),
    coreAdvisory(5),
  ]);
  const idsOfSiblings = (id: number): readonly number[] => {
    const ordinal = generation.findId(id);
    assert.ok(ordinal !== undefined);
    return generation.siblingsOf(ordinal).map((each) => generation.idAt(each));
  };
  assert.deepEqual(idsOfSiblings(1), [1, 2]);
  assert.deepEqual(idsOfSiblings(2), [1, 2]);
  assert.deepEqual(idsOfSiblings(3), [3]);
  assert.deepEqual(idsOfSiblings(4), [4]);
});

test('an advisory that the table of aliases lacks, as in a snapshot that is not checked yet, is its own sibling', (t) => {
  const product = coreProduct('plugin', 'one');
  const generation = generationOf(t, [coreAdvisory(1, { sourceId: 'GHSA-aaaa', product }), coreAdvisory(2)]);
  const { aliasAdvisory } = generation.parts.columns;
  const ordinal = generation.findId(1)!;
  aliasAdvisory.fill(generation.findId(2)!);
  assert.deepEqual(generation.siblingsOf(ordinal), [ordinal]);
});

test('a tap is told once of each version and of each list that is looked up, with the product’s row', (t) => {
  const { parts, records } = generationOf(t, [
    coreAdvisory(1),
    coreAdvisory(2, { product: coreProduct('npm', 'parser') }),
  ]);
  const seen: number[] = [];
  const generation = new Generation(parts, records, { tap: { lookedUp: (product) => seen.push(product) } });
  const [gallery, parser] = [
    generation.findProduct('plugin', 'gallery'),
    generation.findProduct('npm', 'parser'),
  ];
  assert.equal(generation.advisoryCountOf(gallery ?? -1), 1);
  assert.deepEqual(seen, [], 'finding a product is not yet a look-up');
  const locator = new Locator();
  generation.locate('plugin', 'Gallery', '1.0', locator);
  generation.locate('npm', 'parser', 'not a version', locator);
  generation.locate('npm', 'unknown', '1.0.0', locator);
  generation.advisoriesOf(parser ?? -1);
  generation.explain('plugin', 'gallery', '1.0', { locator, matches: new Matches() });
  assert.deepEqual(seen, [gallery, parser, parser, gallery]);
});
