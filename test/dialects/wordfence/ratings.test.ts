// Words for scores.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratingOf } from '../../../src/dialects/wordfence/ratings.ts';

test('a score has the word of the CVSS 3 scale', () => {
  const words = [0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 10].map(ratingOf);
  assert.deepEqual(words, ['None', 'Low', 'Low', 'Medium', 'Medium', 'High', 'High', 'Critical', 'Critical']);
});
