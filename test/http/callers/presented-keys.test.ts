import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../../src/access/keys-file.ts';
import { PresentedKeys } from '../../../src/http/callers/presented-keys.ts';

test('a kept value is found for its key and for no other', () => {
  const keys = Array.from({ length: 8 }, makeKey);
  const presented = new PresentedKeys<number>(1000);
  for (const [i, key] of keys.entries()) {
    assert.equal(presented.find(key), undefined);
    presented.keep(key, i);
  }
  for (const [i, key] of keys.entries()) {
    assert.equal(presented.find(key), i);
    assert.equal(presented.find(`${key}x`), undefined);
    assert.equal(presented.find(key.slice(1)), undefined);
    assert.equal(presented.find(key.toUpperCase()), undefined);
  }
});

test('keys beyond the capacity replace each other, and none is mistaken for another', () => {
  const keys = Array.from({ length: 20_000 }, makeKey);
  const presented = new PresentedKeys<string>(keys.length);
  let found = 0;
  for (const key of keys) presented.keep(key, key);
  for (const key of keys) {
    const value = presented.find(key);
    if (value === undefined) continue;
    assert.equal(value, key);
    found += 1;
  }
  assert.ok(found > 7_000 && found <= 8_192, `${found} found`);
  assert.equal(presented.find(keys.at(-1) ?? ''), keys.at(-1), 'the last one is still kept');
});

test('a key with characters beyond one byte is not kept', () => {
  const presented = new PresentedKeys<number>(1);
  presented.keep('schlüssel', 1);
  presented.keep('ключ', 2);
  assert.equal(presented.find('schlüssel'), 1);
  assert.equal(presented.find('ключ'), undefined);
});
