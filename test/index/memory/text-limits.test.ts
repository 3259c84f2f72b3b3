import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelProblem } from '../../../src/access/check-keys-file.ts';
import { hasControlCharacter, isLongerThan } from '../../../src/index/memory/text-limits.ts';

test('a text is as long as its UTF-8, lone surrogates included', () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(40), (text, maxBytes) => {
      assert.equal(isLongerThan(text, maxBytes), Buffer.byteLength(text) > maxBytes);
    }),
  );
});

test('control characters are those of Unicode, and the keys file uses the same set', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const text = `a${String.fromCharCode(code)}b`;
    assert.equal(hasControlCharacter(text), /\p{Cc}/u.test(text), code.toString(16));
    assert.equal(labelProblem(text) !== undefined, hasControlCharacter(text), code.toString(16));
  }
});
