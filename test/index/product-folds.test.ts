import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  anyCase,
  anyDash,
  dashes,
  goStandardLibrary,
  mavenCoordinate,
  mavenPath,
  pep503,
  underscores,
} from '../../src/index/product-folds.ts';

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

test('a loose fold takes bytes for others one by one, and those of other letters for themselves', () => {
  const folded = (fold: Uint8Array, text: string): string =>
    Buffer.from(Buffer.from(text).map((byte) => fold[byte])).toString();
  assert.equal(folded(anyCase, 'GitHub.com/AZ[`{_-É'), 'github.com/az[`{_-É');
  assert.equal(folded(anyDash, 'A_b-c_É'), 'A-b-c-É');
});

test('only the whole name std means the standard library', () => {
  assert.deepEqual(['std', 'stdlib', 'std/x'].map(goStandardLibrary), ['stdlib', 'stdlib', 'std/x']);
});
