// Suggestions, held against a scan of all names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { PRODUCT_TYPES, type ProductType, productTypeFacts } from '../../../src/index/product-type.ts';
import { printedSeed } from '../../support/seed.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const QUESTIONS = 1_500;
const LETTERS = ['a', 'b', 'A', 'B', '-', '@', '/', '<', '"', 'é', 'É', 'ß', '日', '😀', '\u212a', 'k'];

function names({ parts }: Generation, rows: readonly number[]): string[] {
  const { productSlug, productSlugStart } = parts.columns;
  return rows.map((row) =>
    new TextDecoder().decode(productSlug.slice(productSlugStart[row], productSlugStart[row + 1])),
  );
}

function draw(dice: Dice, least: number, most: number): string {
  return Array.from({ length: dice.whole(least, most) }, () => dice.pick(LETTERS)).join('');
}

test('the names found are those that a scan finds: the prefix itself, then by number of advisories', (t) => {
  const dice = new Dice(printedSeed(t));
  const stored = new Map<ProductType, Set<string>>(PRODUCT_TYPES.map((type) => [type, new Set()]));
  for (let i = 0; i < 600; i++) {
    // A type without products is in between.
    const type = dice.pick(PRODUCT_TYPES.filter((each) => each !== 'theme'));
    stored.get(type)!.add(productTypeFacts(type).slugFolds[0](draw(dice, 1, 5)));
  }
  const products = [...stored].flatMap(([type, slugs]) => [...slugs].map((slug) => coreProduct(type, slug)));
  const generation = generationOf(
    t,
    products.flatMap((product, i) =>
      Array.from({ length: 1 + (i % 3) }, (_, n) => coreAdvisory(1 + 3 * i + n, { product })),
    ),
  );
  const counts = new Map(products.map(({ type, slug }, i) => [`${type} ${slug}`, 1 + (i % 3)]));
  let found = 0;
  let mixed = 0;
  for (let i = 0; i < QUESTIONS; i++) {
    const type = dice.chance(0.5) ? 'npm' : dice.pick(PRODUCT_TYPES); // npm alone has two spellings
    const prefix = draw(dice, 0, 3);
    const limit = dice.whole(1, 20);
    const { slugFolds } = productTypeFacts(type);
    const fits = (slug: string): boolean => slugFolds.some((fold) => slug.startsWith(fold(prefix)));
    const expected = [...stored.get(type)!]
      .filter(fits)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((slug) => ({ slug, isIt: slugFolds.some((fold) => fold(prefix) === slug) }))
      .sort(
        (a, b) =>
          Number(b.isIt) - Number(a.isIt) ||
          (a.isIt ? 0 : counts.get(`${type} ${b.slug}`)! - counts.get(`${type} ${a.slug}`)!),
      )
      .map(({ slug }) => slug)
      .slice(0, limit);
    const actual = names(generation, generation.productsNamedLike(type, prefix, limit));
    assert.deepEqual(actual, expected, JSON.stringify({ type, prefix, limit }));
    if (expected.length > 0) found++;
    if (
      expected.some((slug) => !slug.startsWith(prefix)) &&
      expected.some((slug) => slug.startsWith(prefix))
    ) {
      mixed++;
    }
  }
  t.diagnostic(`${found} of ${QUESTIONS} prefixes have names, ${mixed} of them in two spellings`);
  assert.ok(found > 300 && found < QUESTIONS - 100 && mixed > 0, `${found} found, ${mixed} mixed`);
});

test('the longest prefix finds the longest name, and nothing beyond it', (t) => {
  const slug = `${'é'.repeat(127)}zz`; // 256 bytes
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('plugin', slug) }),
    coreAdvisory(2, { product: coreProduct('plugin', slug.slice(0, -1)) }),
  ]);
  assert.deepEqual(names(generation, generation.productsNamedLike('plugin', slug.toUpperCase(), 10)), [slug]);
  assert.deepEqual(generation.productsNamedLike('plugin', `${slug}z`, 10), []);
  assert.equal(generation.productsNamedLike('plugin', slug.slice(0, -1), 10).length, 2);
  assert.equal(generation.productsNamedLike('plugin', '', 1).length, 1);
  assert.deepEqual(generation.productsNamedLike('npm', '', 10), []);
});

test('a name that begins like another spelling of it is suggested once', (t) => {
  const slugs = ['std', 'stdlib', 'stx'];
  const generation = generationOf(
    t,
    slugs.map((slug, i) => coreAdvisory(i + 1, { product: coreProduct('golang', slug) })),
  );
  assert.deepEqual(names(generation, generation.productsNamedLike('golang', 'std', 10)), ['std', 'stdlib']);
});
