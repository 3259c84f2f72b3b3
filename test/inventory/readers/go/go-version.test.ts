import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goVersion } from '../../../../src/inventory/readers/go/go-version.ts';

test('releases of Go are versions, those of its language are not', () => {
  const texts = ['go1.21.3', '1.22.0', 'go1.22rc1', '1.21beta1', 'go1.22.4-custom', '1.21', 'default', ''];
  assert.deepEqual(
    texts.map((text) => goVersion(text) ?? '-'),
    ['1.21.3', '1.22.0', '1.22rc1', '1.21beta1', '1.22.4', '-', '-', '-'],
  );
});
