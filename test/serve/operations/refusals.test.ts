import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusals } from '../../../src/serve/operations/refusals.ts';

test('refusals are counted by cause, and the last 20 are kept, with short messages and without folders', () => {
  const refusals = new Refusals();
  for (let i = 0; i < 30; i++) refusals.add(`/secret/${i}.vdx`, i % 3 === 0 ? 'truncated' : 'shrunk', 'x', i);
  refusals.add('/secret/long.vdx', 'unsorted', 'y'.repeat(2_000), 30);
  assert.deepEqual(Object.fromEntries(refusals.counts), { truncated: 10, shrunk: 20, unsorted: 1 });
  const { recent } = refusals;
  assert.equal(recent.length, 20);
  assert.deepEqual([recent[0].file, recent[0].message.length], ['long.vdx', 501]);
  assert.deepEqual(recent[1], { file: '29.vdx', code: 'shrunk', message: 'x', atMs: 29 });
});
