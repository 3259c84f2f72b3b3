// JSON literals, compared with JSON.stringify, which is slower but right.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { numberOrNull, quote } from '../../../src/index/items/json-text.ts';

test('a quoted text is what JSON.stringify writes, whatever it contains', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const text = `a${String.fromCharCode(code)}b`;
    assert.equal(quote(text), JSON.stringify(text));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(quote(text), JSON.stringify(text));
    }),
  );
  assert.equal(quote(''), '""');
});

test('a number is written as in JSON, and null as null', () => {
  for (const value of [0, -0.5, 9.8, 1e21, Number.MAX_SAFE_INTEGER]) {
    assert.equal(numberOrNull(value), JSON.stringify(value));
  }
  assert.equal(numberOrNull(null), 'null');
});
