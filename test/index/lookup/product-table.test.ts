// Products by type and slug: every one is found, and nothing else.

import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import type { Product } from '../../../src/compiler/advisory.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { buildProductSlots, findAscii, findFolded } from '../../../src/index/lookup/product-table.ts';
import {
  asPublished,
  lowerCase,
  PRODUCT_TYPES,
  type ProductType,
  productTypeFacts,
  type SlugFold,
} from '../../../src/index/product-type.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';
import { isFull } from '../../support/volume.ts';

const fromUtf8 = new TextDecoder();

/** `type slug` of the row found, or undefined. */
function found(
  { parts }: Generation,
  type: ProductType,
  slug: string,
  fold: SlugFold = asPublished,
): string | undefined {
  const { columns, productSlots } = parts;
  const row = findFolded(columns, productSlots, PRODUCT_TYPES.indexOf(type), slug, fold);
  if (row === undefined) return undefined;
  const { productSlug, productSlugStart } = columns;
  const text = fromUtf8.decode(productSlug.subarray(productSlugStart[row], productSlugStart[row + 1]));
  return `${PRODUCT_TYPES[columns.productType[row]]} ${text}`;
}

function assertAllFound(generation: Generation, products: readonly Product[]): void {
  for (const { type, slug } of products) assert.equal(found(generation, type, slug), `${type} ${slug}`);
}

test('every one of thousands of products is found by its type and slug', (t) => {
  const products = Array.from({ length: 3_000 }, (_, i) =>
    coreProduct(PRODUCT_TYPES[i % PRODUCT_TYPES.length], `product-${Math.floor(i / PRODUCT_TYPES.length)}`),
  );
  const generation = generationOf(
    t,
    products.map((product, i) => coreAdvisory(i + 1, { product })),
  );
  assertAllFound(generation, products);
  for (const type of PRODUCT_TYPES) {
    for (let i = 1_000; i < 3_000; i++) assert.equal(found(generation, type, `product-${i}`), undefined);
  }
});

test('a slug is compared by its bytes: a different length, letter or case is another product', (t) => {
  const slugs = ['a', 'ab', 'A', 'constructor', '__proto__', '1', '@a/b', 'é', '日本', 'x'.repeat(256)];
  const products = slugs.map((slug) => coreProduct('npm', slug));
  const generation = generationOf(
    t,
    products.map((product, i) => coreAdvisory(i + 1, { product })),
  );
  assertAllFound(generation, products);
  for (const slug of ['', 'b', 'abc', 'AB', 'e\u0301', '日', 'x'.repeat(255), 'x'.repeat(257)]) {
    assert.equal(found(generation, 'npm', slug), undefined, slug);
  }
  assert.equal(found(generation, 'plugin', 'a'), undefined);
});

test('a slug is lower-cased like toLowerCase, beyond ASCII too', (t) => {
  const slugs = ['a-z[`{@', 'é-b', 'straße', 'ᾳ', 'k', 'i\u0307'];
  const products = slugs.map((slug) => coreProduct('plugin', slug));
  const generation = generationOf(
    t,
    products.map((product, i) => coreAdvisory(i + 1, { product })),
  );
  for (const slug of ['A-Z[`{@', 'É-B', 'STRAßE', 'ᾼ', '\u212a', 'İ']) {
    assert.equal(found(generation, 'plugin', slug, lowerCase), `plugin ${slug.toLowerCase()}`);
    assert.equal(found(generation, 'plugin', slug), undefined);
  }
});

test('a slug too long for any product finds nothing', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  for (const slug of ['x'.repeat(100_000), '日'.repeat(2_000)]) {
    assert.equal(found(generation, 'plugin', slug), undefined);
  }
});

test('the same slug under two types is two products', (t) => {
  const products = [coreProduct('plugin', 'gallery'), coreProduct('theme', 'gallery')];
  const generation = generationOf(
    t,
    products.map((product, i) => coreAdvisory(i + 1, { product })),
  );
  assertAllFound(generation, products);
  assert.equal(found(generation, 'npm', 'gallery'), undefined);
});

/**
 * Slugs with one hash under plain FNV-1a, folded or not: each block doubles their number. Found quickly on
 * each run.
 */
function collidingSlugs(blocks: number): string[] {
  const step = (hash: number, text: string): number => {
    let state = hash;
    for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
    return state;
  };
  let state = Math.imul(0x811c9dc5 ^ PRODUCT_TYPES.indexOf('plugin'), 0x01000193);
  let slugs = [''];
  for (let block = 0; block < blocks; block++) {
    const seen = new Map<number, string>();
    for (let i = 0; ; i++) {
      const text = i.toString(36).padStart(6, '0');
      const next = step(state, text);
      const other = seen.get(next);
      if (other !== undefined) {
        slugs = slugs.flatMap((slug) => [slug + other, slug + text]);
        state = next;
        break;
      }
      seen.set(next, text);
    }
  }
  return slugs;
}

test('slugs made to collide are spread like any others, and differently in each process', (t) => {
  const slugs = collidingSlugs(isFull ? 11 : 8);
  const generation = generationOf(
    t,
    slugs.map((slug, i) => coreAdvisory(i + 1, { product: coreProduct('plugin', slug) })),
  );
  assertAllFound(
    generation,
    slugs.map((slug) => coreProduct('plugin', slug)),
  );
  const { columns, productSlots } = generation.parts;
  const slots = productSlots.subarray(productSlots.length - 2 ** Math.floor(Math.log2(productSlots.length)));
  let longest = 0;
  let run = 0;
  for (const slot of slots) {
    run = slot === 0 ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  // 25 or so by chance, all of them if they collide.
  assert.ok(longest < 200, `a search visits ${longest} slots`);
  const again = (): string => buildProductSlots(columns, randomFillSync).slice(-slots.length).join();
  assert.notEqual(again(), again());
});

test('a name is looked up by whatever spelling the type folds it to', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { product: coreProduct('npm', 'a-b') })]);
  const dashed: SlugFold = (name) => name.replace(/[-_.]+/g, '-');
  assert.equal(found(generation, 'npm', 'a_.b', dashed), 'npm a-b');
  assert.equal(found(generation, 'npm', 'a_.b'), undefined);
});

test('a name given as bytes means what it means as a string', (t) => {
  const names = ['gallery', 'Gallery', '@scope/pkg', 'MiXed-Case_9', 'x'.repeat(256)];
  const generation = generationOf(
    t,
    names.map((name, i) => coreAdvisory(i + 1, { product: coreProduct('npm', name) })),
  );
  const asked = [
    ...names,
    'GALLERY',
    '@Scope/Pkg',
    'mixed-case_9',
    'other',
    '',
    'x'.repeat(257),
    '__proto__',
  ];
  for (const name of asked) {
    const body = Buffer.from(`["${name}"]`);
    const row = generation.findProductAscii('npm', body, 2, 2 + name.length);
    assert.equal(row, generation.findProduct('npm', name), name);
    const plugin = generation.findProductAscii('plugin', body, 2, 2 + name.length);
    assert.equal(plugin, undefined, name);
  }
  for (const name of names) assert.notEqual(generation.findProduct('npm', name), undefined, name);
});

test('bytes of a type with another fold go through the fold', (t) => {
  const generation = generationOf(t, [coreAdvisory(1, { product: coreProduct('npm', 'a-b') })]);
  const { columns, productSlots } = generation.parts;
  const dashed: SlugFold = (name) => name.replace(/[-_.]+/g, '-');
  const facts = { ...productTypeFacts('npm'), slugFolds: [dashed] as const };
  const row = generation.findProduct('npm', 'a-b');
  assert.notEqual(row, undefined);
  assert.equal(findAscii(columns, productSlots, facts, Buffer.from('a_.b'), 0, 4), row);
});
