// The order of Composer, compared with a plain version of composer/semver's normalisation, with a fixture
// line by line, and with recorded answers of composer/semver and PHP.

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
    '240',
    '99999',
    '100000',
    '2024',
    '0102',
    '9'.repeat(30),
    '.',
    '.',
    '.',
    '-',
    '_',
  ],
  ...[
    'a',
    'b',
    'rc',
    'RC',
    'alpha',
    'beta',
    'p',
    'pl',
    'patch',
    'stable',
    'Stable',
    'dev',
    '-dev',
    '.x',
    '.*',
    ':',
    'v',
  ],
  ...['.01', '-02', 'x-dev', '+b', ' as ', '@dev', '@beta', '@', '#', ' ', ',', 'dev-', 'é', '\u0661'],
];

test('a text has a composer key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('composer', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'composer',
    textsOf(PIECES, 5).map((text) => `1.2${text}`),
  );
});

test('a text that is not a version has no key', () => {
  for (const text of [
    ...[
      '',
      ' ',
      'v',
      'latest',
      '*',
      '1.x',
      'dev-master',
      'dev-main',
      'master',
      'main-dev',
      'dev-1.0',
      '1.0.0.0.0',
      '12345678901234567890.1',
    ],
    ...[
      '1.0-foo',
      '1.0-2',
      '1.0#abc',
      '1.0+',
      '1..2',
      '>=1.0',
      '1.0 || 2.0',
      '1.0,2.0',
      '1.0 as',
      '1.0@foo',
      '\u0661.0',
    ],
  ]) {
    assert.equal(versionKey('composer', text), undefined, JSON.stringify(text));
  }
});

test('every line of composer.txt holds in both directions', () => {
  assertOrderFixture('composer', orderOf('composer'), 30);
});

test('a composer key gives the recorded answer for every pair, in both directions', pairsOptions, () => {
  const { count, different } = differentPairs('composer', 'pairs-composer.tsv.gz');
  assert.deepEqual(different, []);
  assert.ok(count > 12_000, `${count} pairs`);
});
