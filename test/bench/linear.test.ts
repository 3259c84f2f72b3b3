// The baselines of the benches must be correct, or beating them means nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparerOf, compareWordpressParts, wordpressParts } from '../../bench/baselines/versions.js';
import { applies, type LinearAdvisory } from '../../bench/in-process/stab.ts';

const ASCENDING = ['1.0unknown', '1.0-dev', '1.0alpha1', '1.0b2', '1.0rc1', '1.0', '1.0.1', '1.0pl1', '1.10'];

function compareWordpress(a: string, b: string): number {
  return compareWordpressParts(wordpressParts(a), wordpressParts(b));
}

test('the simple loop orders words, numbers and missing parts as the scheme does', () => {
  ASCENDING.forEach((a, i) => {
    ASCENDING.forEach((b, j) => {
      assert.equal(Math.sign(compareWordpress(a, b)), Math.sign(i - j), `${a} against ${b}`);
    });
  });
  assert.equal(compareWordpress(' V1.2-3 ', '1.2.3'), 0);
  assert.equal(compareWordpress('1.0.0.', '1'), 0);
});

test('the linear loop respects open ends and whether the upper bound is inclusive', () => {
  const compare = (a: number, b: number): number => a - b;
  const advisories: readonly LinearAdvisory<number>[] = [
    { id: 3, spans: [{ from: 5, to: null, holdsTo: false }] },
    { id: 2, spans: [{ from: null, to: 3, holdsTo: true }] },
    {
      id: 1,
      spans: [
        { from: 1, to: 3, holdsTo: false },
        { from: 7, to: 7, holdsTo: true },
      ],
    },
  ];
  const found = [0, 1, 3, 4, 7].map((version) =>
    advisories.filter((advisory) => applies(advisory, version, compare)).map(({ id }) => id),
  );
  assert.deepEqual(found, [[2], [2, 1], [2], [], [3, 1]]);
});

test('the other schemes of the database baseline order words, endings and decimals', () => {
  for (const [scheme, below, above] of [
    ['php', '1.0', '1.0.0'],
    ['php', '1.0rc1', '1.0'],
    ['php', '1.0', '1.0pl1'],
    ['decimal', '1.25', '1.3'],
    ['decimal', '1.2', '1.25'],
    ['semver', '1.0.0-rc.1', '1.0.0'],
  ]) {
    const [up, down] = [comparerOf(scheme, below)(above), comparerOf(scheme, above)(below)];
    assert.ok(up < 0 && down > 0, `${scheme}: ${below} < ${above}`);
  }
});
