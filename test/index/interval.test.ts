// What a bound means: positions on the line that bounds cut into, codes in a snapshot, and spans that hold nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findSpanProblem,
  highPosition,
  holdsUpperBound,
  lowPosition,
  UPPER_BOUNDS,
  upperBoundCode,
  upperBoundOf,
} from '../../src/index/interval.ts';
import { coreSpan } from '../support/generation.ts';

test('only an exclusive bound is outside its span', () => {
  assert.deepEqual(
    [null, ...UPPER_BOUNDS].map((bound) => [bound, holdsUpperBound(bound)]),
    [
      [null, true],
      ['exclusive', false],
      ['inclusive', true],
      ['last-affected', true],
    ],
  );
});

test('a bound keeps its code, and 0 stands for none recorded', () => {
  assert.deepEqual(UPPER_BOUNDS.map(upperBoundCode), [1, 2, 3]);
  assert.equal(upperBoundCode(null), 0);
  for (const bound of [null, ...UPPER_BOUNDS]) assert.equal(upperBoundOf(upperBoundCode(bound)), bound);
});

test('a bound stands at an odd position, what lies between two at an even one', () => {
  assert.equal(lowPosition(null), 0);
  assert.deepEqual([0, 1, 2].map(lowPosition), [1, 3, 5]);
  assert.equal(highPosition(null, null, 3), 6);
  assert.equal(highPosition(2, 'inclusive', 3), 5);
  assert.equal(highPosition(2, 'last-affected', 3), 5);
  assert.equal(highPosition(2, null, 3), 5);
  assert.equal(highPosition(2, 'exclusive', 3), 4);
});

test('a span from a bound up to the same bound holds that version, and nothing when exclusive', () => {
  assert.ok(highPosition(1, 'inclusive', 3) === lowPosition(1));
  assert.ok(highPosition(1, 'exclusive', 3) < lowPosition(1));
  assert.equal(findSpanProblem(coreSpan('1.0', '1.0'), 'php'), undefined);
  assert.deepEqual(findSpanProblem(coreSpan('1.0', '1.0', 'exclusive'), 'php'), { kind: 'empty' });
});

test('a span is empty by the order of its scheme, not of its text', () => {
  assert.deepEqual(findSpanProblem(coreSpan('1.10', '1.9'), 'php'), { kind: 'empty' });
  assert.equal(findSpanProblem(coreSpan('1.10', '1.9'), 'decimal'), undefined);
  assert.deepEqual(findSpanProblem(coreSpan('v1.2.0', '1.2', 'exclusive'), 'semver'), { kind: 'empty' });
  assert.equal(findSpanProblem(coreSpan('1.2.0-rc.1', '1.2', 'exclusive'), 'semver'), undefined);
});

test('a bound that is no version is named, and an end left open is none', () => {
  assert.deepEqual(findSpanProblem(coreSpan('1.x', '2.0.0'), 'semver'), { kind: 'no-version', end: 'from' });
  assert.deepEqual(findSpanProblem(coreSpan(null, 'latest'), 'semver'), { kind: 'no-version', end: 'to' });
  assert.equal(findSpanProblem(coreSpan(null, null), 'semver'), undefined);
  assert.equal(findSpanProblem(coreSpan('9.0.0', null), 'semver'), undefined);
});
