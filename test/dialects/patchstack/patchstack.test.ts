// How the contract's clients send keys.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';

function keyIn(headers: Readonly<Record<string, string>>): string {
  return patchstack.keys.read({ header: (name) => headers[name] ?? '' });
}

test('a key is sent in any of the forms that clients have, and in no other way', () => {
  assert.equal(keyIn({ pskey: 'one' }), 'one');
  assert.equal(keyIn({ authorization: 'Bearer two' }), 'two');
  assert.equal(keyIn({ authorization: 'Token token=two' }), 'two');
  assert.equal(keyIn({ authorization: 'Basic two' }), '');
  assert.equal(keyIn({ 'x-api-key': 'three' }), '');
});

test('PSKey wins over a bearer token, whatever is in it', () => {
  assert.equal(keyIn({ pskey: 'one', authorization: 'Bearer two' }), 'one');
});
