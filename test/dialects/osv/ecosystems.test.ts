import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecosystemOf, packageOf, productsNamed, purlOf } from '../../../src/dialects/osv/ecosystems.ts';
import { parsePurl } from '../../../src/index/parse-purl.ts';
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

test('records of npm have a purl; for WordPress no type is registered', () => {
  assert.equal(purlOf('npm', 'lodash'), 'pkg:npm/lodash');
  assert.equal(purlOf('npm', '@angular/core'), 'pkg:npm/%40angular/core');
  assert.equal(purlOf('npm', "it's a (odd) name!"), 'pkg:npm/it%27s%20a%20%28odd%29%20name%21');
  assert.equal(purlOf('WordPress', 'plugin/akismet'), undefined);
  for (const name of ['lodash', '@angular/core', 'a b', 'a@b', 'a:b']) {
    const read = parsePurl(purlOf('npm', name) ?? '');
    assert.equal(read.kind === 'held' && read.name, name);
  }
});

test('each ecosystem is written as its type of purl has it', () => {
  assert.equal(purlOf('Maven', 'org.a:b'), 'pkg:maven/org.a/b');
  assert.equal(purlOf('PyPI', 'Zope.Interface'), 'pkg:pypi/zope-interface');
  assert.equal(purlOf('Go', 'github.com/Masterminds/goutils'), 'pkg:golang/github.com/Masterminds/goutils');
});
