import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMembers, hasRepeatedName } from '../../../src/importers/record/repeated-names.ts';

const isRepeated = (json: string): boolean => hasRepeatedName(json, JSON.parse(json));

test('a name that occurs twice in one object is noticed at any depth, and however it is written', () => {
  for (const json of ['{"a":1,"a":1}', '[{"b":[{"a":{},"a":[]}]}]', '{"a":1,"\\u0061":2}', '{"":1,"":2}']) {
    assert.equal(isRepeated(json), true, json);
  }
});

test('a name may occur in several objects, and a string may contain anything', () => {
  const texts = ['', ':', '"', '\\', '\\"', '":', '{"a":1,"a":2}', '\\\\":"'];
  for (const value of [{ a: { a: [{ a: 1 }, { a: 2 }] } }, texts, Object.fromEntries(texts.entries()), 7]) {
    for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      assert.equal(isRepeated(json), false, json);
    }
  }
  assert.equal(isRepeated(JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])))), false);
});

test('the members of nested objects are counted', () => {
  assert.equal(countMembers({ a: { b: [{ c: 1 }, { c: [] }] }, d: null }), 5);
  assert.equal(countMembers(JSON.parse('{"__proto__":{"a":1}}')), 2);
  assert.equal(countMembers('a'), 0);
  assert.equal(countMembers(JSON.parse(`${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`)), 100_000);
});
