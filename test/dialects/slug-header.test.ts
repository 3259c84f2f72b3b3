// What a header can say of slugs, whatever they contain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugHeader } from '../../src/dialects/slug-header.ts';

test('no slugs, no header; each slug once', () => {
  assert.deepEqual(slugHeader('X', []), []);
  assert.deepEqual(slugHeader('X', ['a', 'b-c', 'a']), [['X', 'a, b-c']]);
});

test('what a header cannot carry is percent-encoded', () => {
  assert.deepEqual(slugHeader('X', ['a, b', 'größe', 'x\r\ny', '+more']), [
    ['X', 'a%2C%20b, gr%C3%B6%C3%9Fe, x%0D%0Ay, %2Bmore'],
  ]);
  assert.deepEqual(slugHeader('X', ['half \ud800']), [['X', 'half%20%EF%BF%BD']]);
});

test('a long list is cut, and says so', () => {
  const [[, value]] = slugHeader(
    'X',
    Array.from({ length: 50 }, (_, i) => `${i}${'x'.repeat(98)}`),
  );
  assert.ok(value.length <= 1100, String(value.length));
  assert.match(value, /^0x+, .*, \+more$/);
  assert.deepEqual(slugHeader('X', ['ü'.repeat(256)]), [['X', '+more']]);
});

test('an empty name is told as two quotes, which no other is encoded to', () => {
  assert.deepEqual(slugHeader('Some', ['']), [['Some', '""']]);
  assert.deepEqual(slugHeader('Some', ['a', '', '""']), [['Some', 'a, "", %22%22']]);
});
