// Products by type and slug: every one is found, and nothing else.

import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
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
  const row = findFolded(parts, PRODUCT_TYPES.indexOf(type), slug, fold);
  if (row === undefined) return undefined;
  const { productSlug, productSlugStart, productType } = parts.columns;
  const text = fromUtf8.decode(productSlug.subarray(productSlugStart[row], productSlugStart[row + 1]));
  return `${PRODUCT_TYPES[productType[row]]} ${text}`;
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
  const dashed: SlugFold = (name) => name.replace(/[-_.]+/g, '-');
  const facts = { ...productTypeFacts('npm'), slugFolds: [dashed] as const };
  const row = generation.findProduct('npm', 'a-b');
  assert.notEqual(row, undefined);
  assert.equal(findAscii(generation.parts, facts, Buffer.from('a_.b'), 0, 4), row);
});

/** The slug of the product that each name finds, as a string and as bytes, or undefined. */
function means(generation: Generation, type: ProductType, name: string): string | undefined {
  const row = generation.findProduct(type, name);
  const bytes = Buffer.from(name);
  assert.equal(generation.findProductAscii(type, bytes, 0, bytes.length), row, name);
  const { productSlug, productSlugStart } = generation.parts.columns;
  return row === undefined
    ? undefined
    : fromUtf8.decode(productSlug.slice(productSlugStart[row], productSlugStart[row + 1]));
}

function withProducts(t: TestContext, type: ProductType, slugs: readonly string[]): Generation {
  return generationOf(
    t,
    slugs.map((slug, i) => coreAdvisory(i + 1, { product: coreProduct(type, slug) })),
  );
}

test('a Go module is found in any case, where that is one module', (t) => {
  const goutils = 'github.com/Masterminds/goutils';
  const generation = withProducts(t, 'golang', [goutils, 'example.com/A', 'example.com/a', 'example.com/Bc']);
  for (const name of [goutils, goutils.toLowerCase(), goutils.toUpperCase()]) {
    assert.equal(means(generation, 'golang', name), goutils, name);
  }
  assert.equal(means(generation, 'golang', 'example.com/A'), 'example.com/A');
  assert.equal(means(generation, 'golang', 'example.com/a'), 'example.com/a');
  assert.equal(means(generation, 'golang', 'EXAMPLE.com/a'), undefined, 'of two, neither is meant');
  for (const name of ['', 'example.com', 'example.com/bcd', 'x'.repeat(257), 'example.com/b\u212a']) {
    assert.equal(generation.findProduct('golang', name), undefined, name);
  }
  assert.equal(generation.findProduct('npm', goutils.toLowerCase()), undefined);
});

test('three modules with one fold are as ambiguous as two', (t) => {
  const generation = withProducts(t, 'golang', ['m/AB', 'm/Ab', 'm/aB']);
  assert.equal(means(generation, 'golang', 'm/ab'), undefined);
  assert.equal(means(generation, 'golang', 'm/Ab'), 'm/Ab');
});

test('the standard library of Go is found as std too, unless a module has that name', (t) => {
  assert.equal(means(withProducts(t, 'golang', ['stdlib']), 'golang', 'std'), 'stdlib');
  assert.equal(means(withProducts(t, 'golang', ['std', 'stdlib']), 'golang', 'std'), 'std');
  assert.equal(means(withProducts(t, 'cargo', ['stdlib']), 'cargo', 'std'), undefined);
});

test('a crate with dashes and underscores is found by any mixture of them, where that is one crate', (t) => {
  const mixed = 'unic-ucd-name_aliases';
  const generation = withProducts(t, 'cargo', [mixed, 'a-b_c', 'a_b-c']);
  for (const name of [mixed, 'unic-ucd-name-aliases', 'unic_ucd_name_aliases', 'unic_ucd-name_aliases']) {
    assert.equal(means(generation, 'cargo', name), mixed, name);
  }
  assert.equal(means(generation, 'cargo', 'a_b-c'), 'a_b-c');
  assert.equal(means(generation, 'cargo', 'a-b-c'), undefined, 'of two, neither is meant');
  assert.equal(means(generation, 'cargo', 'Unic-ucd-name-aliases'), undefined);
});

test('thousands of modules are each found in lower case', (t) => {
  const slugs = Array.from({ length: 2_000 }, (_, i) => `github.com/Owner-${i % 50}/Module-${i}`);
  const generation = withProducts(t, 'golang', slugs);
  for (const slug of slugs) assert.equal(means(generation, 'golang', slug.toLowerCase()), slug);
});
