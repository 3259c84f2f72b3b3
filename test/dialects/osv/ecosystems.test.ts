import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecosystemOf, packageOf, productsNamed } from '../../../src/dialects/osv/ecosystems.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { OTHER_ECOSYSTEM } from '../../support/feeds/osv.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';
import { phrases } from '../../support/words.ts';

test('npm and WordPress are held, other ecosystems of OSV exist, and any other name does not', () => {
  const kinds = (names: readonly string[]): string[] =>
    names.map((name) => `${name} ${ecosystemOf(name).kind}`);
  assert.deepEqual(
    kinds(['npm', 'WordPress', 'WordPress:Plugin', 'WordPress:Theme']),
    phrases('npm held | WordPress held | WordPress:Plugin held | WordPress:Theme held'),
  );
  for (const name of [
    OTHER_ECOSYSTEM,
    `${OTHER_ECOSYSTEM}:a`,
    'GIT',
    'npm:a',
    'WordPress:toString',
    'Debian:',
  ]) {
    assert.equal(ecosystemOf(name).kind, 'other', name);
  }
  for (const name of ['NPM', 'wordpress', '', ':', 'toString', '__proto__', ' npm']) {
    assert.equal(ecosystemOf(name).kind, 'unknown', name);
  }
});

test('every type of product has a name in its ecosystem, which is read as that product', (t) => {
  const advisories = PRODUCT_TYPES.map((type, i) => {
    return coreAdvisory(i + 1, { product: coreProduct(type, type === 'wordpress' ? type : 'thing') });
  });
  const generation = generationOf(t, advisories);
  for (const type of PRODUCT_TYPES) {
    const slug = type === 'wordpress' ? type : 'thing';
    const { ecosystem, name } = packageOf(type, slug);
    const { products } = productsNamed(generation, ecosystem, '', name);
    assert.deepEqual(products, [{ type, name: slug }]);
  }
});
