import assert from 'node:assert/strict';
import { it } from 'node:test';
import { patchPriority } from '../../../src/importers/wordfence/priority.ts';

it('the priority of a fix follows the severity', () => {
  const words = ['critical', 'High', 'MEDIUM', 'moderate', 'low', 'none', ''];
  assert.deepEqual(words.map(patchPriority), [3, 3, 2, 2, 1, 1, 1]);
});
