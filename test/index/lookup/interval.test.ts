// What a bound means: positions on the version line, codes in a snapshot, and empty spans.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  highPosition,
  holdsUpperBound,
  isEmptySpan,
  isUnboundedBelow,
  lowPosition,
  UPPER_BOUNDS,
  upperBoundCode,
  upperBoundOf,
} from '../../../src/index/lookup/interval.ts';
import { schemeFacts } from '../../../src/index/versions/version-key.ts';
import { coreSpan } from '../../support/snapshots/generation.ts';

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

test('a bound keeps its code, and 0 means that none is recorded', () => {
  assert.deepEqual(UPPER_BOUNDS.map(upperBoundCode), [1, 2, 3]);
  assert.equal(upperBoundCode(null), 0);
  for (const bound of [null, ...UPPER_BOUNDS]) assert.equal(upperBoundOf(upperBoundCode(bound)), bound);
});

test('a bound has an odd position, and the versions between two bounds an even one', () => {
  assert.equal(lowPosition(null), 0);
  assert.deepEqual([0, 1, 2].map(lowPosition), [1, 3, 5]);
  assert.equal(highPosition(null, null, 3), 6);
  assert.equal(highPosition(2, 'inclusive', 3), 5);
  assert.equal(highPosition(2, 'last-affected', 3), 5);
  assert.equal(highPosition(2, null, 3), 5);
  assert.equal(highPosition(2, 'exclusive', 3), 4);
});

test('a span from a bound to the same bound contains that version, or nothing if exclusive', () => {
  assert.ok(highPosition(1, 'inclusive', 3) === lowPosition(1));
  assert.ok(highPosition(1, 'exclusive', 3) < lowPosition(1));
  assert.equal(isEmptySpan(coreSpan('1.0', '1.0'), 'php'), false);
  assert.equal(isEmptySpan(coreSpan('1.0', '1.0', 'exclusive'), 'php'), true);
});

test('whether a span is empty depends on the order of its scheme, not of its text', () => {
  assert.equal(isEmptySpan(coreSpan('1.10', '1.9'), 'php'), true);
  assert.equal(isEmptySpan(coreSpan('1.10', '1.9'), 'decimal'), false);
  assert.equal(isEmptySpan(coreSpan('v1.2.0', '1.2', 'exclusive'), 'semver'), true);
  assert.equal(isEmptySpan(coreSpan('1.2.0-rc.1', '1.2', 'exclusive'), 'semver'), false);
});

test('a span with an open end is not empty', () => {
  assert.equal(isEmptySpan(coreSpan(null, null), 'semver'), false);
  assert.equal(isEmptySpan(coreSpan('9.0.0', null), 'semver'), false);
});

test('a semver span from 0 has no lower bound, so that a pre-release of 0.0.0 is inside', () => {
  for (const zero of ['0', '0.0', '0.0.0', 'v0', '0.0.0+build']) {
    assert.equal(isUnboundedBelow(schemeFacts('semver'), zero), true, zero);
    assert.equal(isEmptySpan(coreSpan(zero, '0.0.0-beta', 'exclusive'), 'semver'), false, zero);
  }
  for (const version of ['0.0.0-0', '0.0.1', '1.0.0']) {
    assert.equal(isUnboundedBelow(schemeFacts('semver'), version), false, version);
  }
  for (const scheme of ['wordpress', 'php', 'decimal'] as const) {
    assert.equal(isUnboundedBelow(schemeFacts(scheme), '0'), false, scheme);
  }
});

test('elsewhere only the text 0 means that there is no lower bound, and not what equals it', () => {
  for (const scheme of ['composer', 'pep440', 'golang', 'gem', 'maven', 'nuget'] as const) {
    assert.equal(isUnboundedBelow(schemeFacts(scheme), '0'), true, scheme);
    assert.equal(isUnboundedBelow(schemeFacts(scheme), '0.0.0'), false, scheme);
  }
});
