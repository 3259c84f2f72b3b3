import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFixes, readAffected } from '../../../src/importers/mirror/affected.ts';
import { fittingReading } from '../../../src/importers/mirror/scheme.ts';
import type { ProductType } from '../../../src/index/product-type.ts';

function schemeOf(affected: string, fixed = '', type: ProductType = 'plugin'): string {
  return fittingReading(type, fixed, (scheme) => {
    const { spans, bad } = readAffected(affected, scheme);
    return { scheme, spans: addFixes(spans, [], fixed, scheme).spans, hasBad: bad.length > 0 };
  }).scheme;
}

test('the default scheme is used for everything that it fits', () => {
  assert.equal(schemeOf('*'), 'wordpress');
  assert.equal(schemeOf('<= 1.5', '1.6'), 'wordpress');
  assert.equal(schemeOf('< 1.2 || >= 1.4 < 1.10', '1.10'), 'wordpress');
  assert.equal(schemeOf('>= 1.0.0 < 2.0.0', '2.0.0', 'npm'), 'semver');
});

test('another scheme is used if only it fits', () => {
  assert.equal(schemeOf('>= 3.41 < 3.5', '3.5'), 'decimal'); // empty, were 3.41 above 3.5
  assert.equal(schemeOf('<= 3.41', '3.5'), 'decimal'); // the fix would be affected
  assert.equal(schemeOf('3.41 || 3.5'), 'decimal'); // not ascending
  assert.equal(schemeOf('>= 1.0 < 1.0.0', '1.0.0'), 'php'); // empty, were 1.0 the same as 1.0.0
});

test('what fits no scheme is read by the default', () => {
  assert.equal(schemeOf('>= 3 < 2'), 'wordpress');
  assert.equal(schemeOf('<= 3 || <= 2 || *'), 'wordpress');
  assert.equal(schemeOf('>= 3.0.0 < 2.0.0', '', 'npm'), 'semver');
});
