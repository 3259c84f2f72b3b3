import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMembers, isObject } from '../../../src/importers/wordfence/json.ts';

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

test('the members of nested objects are counted', () => {
  assert.equal(countMembers({ a: { b: [{ c: 1 }, { c: [] }] }, d: null }), 5);
  assert.equal(countMembers(JSON.parse('{"__proto__":{"a":1}}')), 2);
  assert.equal(countMembers('a'), 0);
  assert.equal(countMembers(JSON.parse(`${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`)), 100_000);
});
