import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highestFix } from '../../../src/dialects/govulndb/index-files.ts';
import type { OsvEvent } from '../../../src/dialects/osv/ranges.ts';

/** `0 <1.2.0 2.0.0` is introduced 0, fixed 1.2.0, introduced 2.0.0. */
const range = (text: string): OsvEvent[] =>
  text.split(' ').map((word) => (word.startsWith('<') ? { fixed: word.slice(1) } : { introduced: word }));
const fixOf = (...ranges: readonly string[]): string | undefined => highestFix(ranges.map(range));

test('the fix of an index is the highest end, by version and not by text', () => {
  assert.equal(fixOf('0 <1.9.0 1.10.0 <1.10.2'), '1.10.2');
  assert.equal(fixOf('0 <1.10.2', '0 <1.9.0'), '1.10.2');
  assert.equal(fixOf('0 <1.9.0-rc.1', '0 <1.9.0'), '1.9.0');
});

test('there is none where a range is open, or opens again', () => {
  assert.equal(fixOf('0'), undefined);
  assert.equal(fixOf('0 <1.2.0 2.0.0'), undefined);
  assert.equal(fixOf('0 <9.0.0', '1.0.0'), undefined);
  assert.equal(fixOf('1.0.0', '0 <9.0.0'), undefined);
  assert.equal(fixOf('0 <1.0.0 1.0.1 <1.0.2', '5.0.0'), undefined);
  assert.equal(fixOf(), undefined);
});
