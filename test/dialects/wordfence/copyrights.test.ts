// Notices by holder.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyrightsOf } from '../../../src/dialects/wordfence/copyrights.ts';

test('without a notice there is nothing to show', () => {
  assert.deepEqual(copyrightsOf([]), {});
  assert.deepEqual(copyrightsOf([['OSV', '', '', '']]), {});
});

test('there is a message wherever there are notices, and no holder takes its place', () => {
  const copyrights = copyrightsOf([
    ['message', 'Copyright messengers.', '', ''],
    ['MITRE', 'Copyright MITRE.', 'Copy.', 'https://m.example/'],
  ]);
  assert.deepEqual(Object.keys(copyrights), ['message', 'message (source)', 'mitre']);
  assert.equal(typeof copyrights.message, 'string');
});
