import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMajorUpdate, updateToolOf } from '../../../src/console/parts/platform-tools.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';

test('an update is marked as major where ^ means the same as in npm, and nowhere else', () => {
  const marked = PRODUCT_TYPES.filter((type) => isMajorUpdate(type, '1.9.0', '2.0.0'));
  assert.deepEqual(marked, ['npm', 'composer', 'cargo']);
  for (const type of marked) {
    assert.equal(isMajorUpdate(type, '1.9.0', '1.10.0'), false);
    assert.equal(isMajorUpdate(type, '0.2.0', '0.3.0'), true);
  }
});

test('every type but Maven has a usual tool, whatever wrote the inventory', () => {
  const without = PRODUCT_TYPES.filter((type) => updateToolOf(type) === undefined);
  assert.deepEqual(without, ['maven']);
  for (const type of PRODUCT_TYPES) assert.equal(updateToolOf(type, 'yarn'), updateToolOf(type));
  assert.equal(updateToolOf('pypi', 'uv')?.label, 'uv');
  assert.equal(updateToolOf('gem', 'uv')?.label, 'Bundler');
});
