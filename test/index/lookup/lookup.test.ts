// What a lookup may ask for in place of a version.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANY_VERSION, isVersionOrAny } from '../../../src/index/lookup/lookup.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { isVersionOf } from '../../../src/index/versions/version-of-type.ts';

test('a lookup has an answer for a version of its type and for any version, which is not a version of any type', () => {
  for (const type of PRODUCT_TYPES) {
    assert.equal(isVersionOf(type, ANY_VERSION), false, type);
    assert.equal(isVersionOrAny({ type, version: ANY_VERSION }), true, type);
    assert.equal(isVersionOrAny({ type, version: '1.0.0' }), true, type);
    assert.equal(isVersionOrAny({ type, version: '' }), false, type);
  }
  assert.equal(isVersionOrAny({ type: 'plugin', version: 'trunk' }), true);
  assert.equal(isVersionOrAny({ type: 'npm', version: 'trunk' }), false);
  assert.equal(isVersionOrAny({ type: 'plugin', version: '-' }), false);
  assert.equal(isVersionOrAny({ type: 'maven', version: '-' }), true); // Maven orders any text
});
