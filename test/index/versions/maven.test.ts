// The order of Maven's ComparableVersion, compared with a plain version of it, with a fixture line by line,
// and with recorded answers of Maven.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionKey } from '../../../src/index/versions/version-key.ts';
import { compareAsMaven } from '../../support/oracles/maven-order.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import {
  assertLikeTwin,
  differentPairs,
  orderOf,
  pairsOptions,
  textsOf,
} from '../../support/oracles/package-pairs.ts';

const PIECES = [
  ...[
    '0',
    '0',
    '1',
    '2',
    '10',
    '01',
    '100',
    '9'.repeat(30),
    '.',
    '.',
    '.',
    '-',
    '-',
    '-',
    '_',
    '+',
    ' ',
    'v',
  ],
  ...[
    'a',
    'A',
    'b',
    'm',
    'M',
    'x',
    'alpha',
    'beta',
    'milestone',
    'rc',
    'CR',
    'snapshot',
    'SNAPSHOT',
    'ga',
    'Final',
  ],
  ...['release', 'sp', 'SP', 'foo', 'é', 'É', '\u0661', '\u096c', '\u{1d7d9}', '😀', '\uffee', 'İ'],
];

test('a text has a maven key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('maven', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'maven',
    textsOf(PIECES, 5).map((text) => `1.2${text}`),
  );
});

test('a text that is not a version has no key', () => {
  for (const text of [...['', '\n', '1\t0', '1.0\u0000', '\u0085', '1.0\u007f']]) {
    assert.equal(versionKey('maven', text), undefined, JSON.stringify(text));
  }
});

test('every line of maven.txt holds in both directions', () => {
  assertOrderFixture('maven', orderOf('maven'), 30);
});

test('a maven key gives the recorded answer for every pair, in both directions', pairsOptions, () => {
  const { count, different } = differentPairs('maven', 'pairs-maven.tsv.gz');
  assert.deepEqual(different, [
    // Maven contradicts itself: 3.16.0.rc.1 < 3.16.0 < 3.16.0-01 < 3.16.0.rc.1.
    '0.0.0.RC7-3 v1.0.0.RC7-3',
    '3.16.0-01 3.16.0.rc.1',
    '3.19.0-01 3.19.0.rc.1',
    '8_0.0.Beta5 8-0.0.Beta5',
  ]);
  assert.ok(count > 12_000, `${count} pairs`);
});

test('where Maven contradicts itself, a release stays between its pre-releases and what follows it', () => {
  const circle = ['3.16.0.rc.1', '3.16.0', '3.16.0-01'];
  const compare = orderOf('maven');
  for (const [i, version] of circle.entries()) {
    assert.equal(compareAsMaven(version, circle[(i + 1) % 3]), -1);
    if (i < 2) assert.equal(compare(version, circle[i + 1]), -1);
  }
});
