import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactVersion } from '../../../../src/inventory/readers/python/requirement.ts';

test('only a pin allows one version', () => {
  const clauses = ['==1.0', '=== 1.0+local', '>=1, ==1.2 ,!=1.3', '==1.*', '~=1.0', '>=1,<2', '', '*'];
  assert.deepEqual(
    clauses.map((text) => exactVersion(text) ?? '-'),
    ['1.0', '1.0+local', '1.2', '-', '-', '-', '-', '-'],
  );
});
