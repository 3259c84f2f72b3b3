import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADJECTIVES, ADVERBS, FOREIGN_NAMES, INVENTED, NOUNS, VERBS } from '../../src/generator/words.ts';

test('the vocabulary has more than 600 words for prose, none twice in a list', () => {
  for (const words of [NOUNS, ADJECTIVES, VERBS, ADVERBS, FOREIGN_NAMES]) {
    assert.equal(new Set(words).size, words.length);
  }
  assert.ok(new Set([...NOUNS, ...ADJECTIVES, ...VERBS, ...ADVERBS]).size > 600);
});

test('the vocabulary has names and nouns of plain letters, so that two joined by a hyphen can be separated again', () => {
  assert.ok([...INVENTED, ...NOUNS].every((word) => /^[a-z]+$/.test(word)));
});
