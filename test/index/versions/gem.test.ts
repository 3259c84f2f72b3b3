// The order of Gem::Version, compared with a plain version of it, with a fixture line by line, and with
// recorded answers of Ruby.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionKey } from '../../../src/index/versions/version-key.ts';
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
    '99',
    '100',
    '9'.repeat(30),
    '.',
    '.',
    '.',
    '.',
    '-',
    '-',
    '.0',
    '.0.0',
    '.0.0.0.0',
  ],
  ...['a', 'b', 'B', 'rc', 'pre', 'beta', '.a', '.pre', '.rc1', 'a10', ' ', '_', '+', 'é', '\u0661'],
];

test('a text has a gem key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('gem', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'gem',
    textsOf(PIECES, 5).map((text) => `1.2${text}`),
  );
});

test('a text that is not a version has no key', () => {
  for (const text of [
    ...[
      '',
      ' ',
      'v1',
      'latest',
      '*',
      '1a',
      '1..2',
      '1.',
      '.1',
      '1-',
      '1-.a',
      '1.-a',
      '1-a..b',
      '1.0_1',
      '1.0+1',
      '1 0',
    ],
    ...['-1', 'a', '~> 1', '1.é', '\u0661.0'],
  ]) {
    assert.equal(versionKey('gem', text), undefined, JSON.stringify(text));
  }
});

test('every line of gem.txt holds in both directions', () => {
  assertOrderFixture('gem', orderOf('gem'), 30);
});

test('a gem key gives the recorded answer for every pair, in both directions', pairsOptions, () => {
  const { count, different } = differentPairs('gem', 'pairs-gem.tsv.gz');
  assert.deepEqual(different, []);
  assert.ok(count > 12_000, `${count} pairs`);
});
