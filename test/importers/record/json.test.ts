import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../../src/importers/record/json.ts';

test('lists and null are not objects', () => {
  assert.deepEqual([{}, [], null, 'x', 1, undefined].map(isObject), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
