import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashes, mavenCoordinate, mavenPath, pep503, underscores } from '../../src/index/product-folds.ts';

test('PEP 503 takes case, and runs of dashes, underscores and dots, for one', () => {
  for (const name of ['zope-interface', 'Zope.Interface', 'zope__interface', 'ZOPE_.-interface']) {
    assert.equal(pep503(name), 'zope-interface');
  }
});

test('a crate is found whichever of dash and underscore is written', () => {
  assert.equal(dashes('abi_stable-x'), 'abi-stable-x');
  assert.equal(underscores('abi-stable_x'), 'abi_stable_x');
});

test('a Maven coordinate is stored with a colon, and a purl writes a slash', () => {
  assert.equal(mavenCoordinate('org.a/b'), 'org.a:b');
  assert.equal(mavenCoordinate('org.a:b'), 'org.a:b');
  assert.equal(mavenPath('org.a:b'), 'org.a/b');
});
