import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, MemberReader } from '../../../src/importers/record/json.ts';

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

test('a member of another type is reported with its path, and counts as absent', () => {
  const problems: string[] = [];
  const reader = new MemberReader((field, message) => problems.push(`${field} ${message}`));
  assert.deepEqual([reader.text('a', 'x'), reader.list([1], 'x'), reader.object({}, 'x')], ['a', [1], {}]);
  assert.deepEqual([reader.text(null, 'x'), reader.list(undefined, 'x')], [undefined, []]);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [reader.text(7, 'a'), reader.list({}, 'b'), reader.object([], 'c')],
    [undefined, [], undefined],
  );
  assert.deepEqual(problems, [
    'a must be a string (got 7)',
    'b must be a list (got {})',
    'c must be an object (got [])',
  ]);
});
