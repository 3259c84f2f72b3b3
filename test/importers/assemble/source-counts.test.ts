import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceCounts } from '../../../src/importers/assemble/source-counts.ts';

const PLACE = { file: 'x' };

test('rejects are counted by the field of their first problem, whatever its place in a list', () => {
  const counts = new SourceCounts('osv', 'osv', 'x');
  for (const field of ['affected[0].to_version', 'affected[12].to_version', 'title']) {
    const problems = [
      { field, message: 'is bad' },
      { field: 'other', message: 'is bad' },
    ];
    counts.reject({ place: PLACE, bytes: new Uint8Array(), problems });
  }
  assert.deepEqual(
    [...counts.rejectedBy],
    [
      ['affected[].to_version', 2],
      ['title', 1],
    ],
  );
  assert.equal(counts.rejected, 3);
});

test('a source with ever new reasons does not fill the memory', () => {
  const counts = new SourceCounts('osv', 'osv', 'x');
  for (let i = 0; i < 5000; i++) counts.skip(`ecosystem ${i}`);
  counts.skip('ecosystem 1');
  assert.equal(counts.skipped, 5001);
  assert.equal(counts.skippedBy.get('ecosystem 1'), 2);
  assert.equal(counts.skippedBy.get('other reasons'), 4000);
});

test('an entry that got lost is an internal error', () => {
  const counts = new SourceCounts('osv', 'osv', 'x');
  counts.read = 3;
  counts.accepted = 1;
  counts.skip('x');
  assert.throws(() => counts.requireBalance(), {
    name: 'AssertionError',
    message: /^osv: 1 accepted \+ 0 merged \+ 1 skipped \+ 0 rejected is not 3 read/,
  });
  counts.merged = 1;
  counts.requireBalance();
});
