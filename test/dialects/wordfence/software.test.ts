// Spans as labelled ranges.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affectedVersions } from '../../../src/dialects/wordfence/software.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';

function between(from: string | null, to: string | null, toBound: Span['toBound'] = 'inclusive'): Span {
  return { from, to, toBound: to === null ? null : toBound, fixedIn: null };
}

test('each range has a readable label, and an open end is a star', () => {
  const ranges = affectedVersions([
    between(null, '1.2'),
    between('2.0', '2.5', 'exclusive'),
    between('3.0', '3.0', 'last-affected'),
    between('4.0', '4.1', null),
    between('5.0', null),
  ]);
  assert.deepEqual(
    Object.entries(ranges).map(([label, { to_inclusive }]) => [label, to_inclusive]),
    [
      ['* - 1.2', true],
      ['[2.0, 2.5)', false],
      ['3.0 - 3.0', true],
      ['4.0 - 4.1', true],
      ['5.0 - *', true],
    ],
  );
});

test('two ranges with one label are both kept, and equal ones once', () => {
  const ranges = affectedVersions([
    between('1 - 2', '3'),
    between('1', '2 - 3'),
    between('1', '2 - 3', 'last-affected'),
  ]);
  assert.deepEqual(Object.keys(ranges), ['1 - 2 - 3', '1 - 2 - 3 (2)']);
});
