// The order of PEP 440, compared with a plain version of its specification, with a fixture line by line, and
// with recorded answers of Python's package packaging.

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
    '20240101',
    '9'.repeat(30),
    '.',
    '.',
    '.',
    '-',
    '_',
    '!',
    '+',
  ],
  ...[
    'a',
    'A',
    'b',
    'c',
    'rc',
    'RC',
    'alpha',
    'beta',
    'pre',
    'preview',
    'r',
    'rev',
    'post',
    'POST',
    'dev',
    'Dev',
  ],
  ...['.post1', '.dev1', 'rc1', '-1', '+l.1', 'v', ' ', 'x', '\u0661', 'ſ'],
];

test('a text has a pep440 key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('pep440', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'pep440',
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
      '1..2',
      '1.',
      '.1',
      '1.0-',
      '1.0-foo',
      '0.1-bulbasaur',
      '2013-01-21T20:33:09',
    ],
    ...[
      '1!',
      '!1',
      '1!2!3',
      '1.0+',
      '1.0+a..b',
      '1.0+a+b',
      '1.0rc1rc2',
      '1.0dev1post1',
      '1.0a1b1',
      '1 0',
      '\u0661.0',
      '>=1',
    ],
  ]) {
    assert.equal(versionKey('pep440', text), undefined, JSON.stringify(text));
  }
});

test('every line of pep440.txt holds in both directions', () => {
  assertOrderFixture('pep440', orderOf('pep440'), 30);
});

test('a pep440 key gives the recorded answer for every pair, in both directions', pairsOptions, () => {
  const { count, different } = differentPairs('pep440', 'pairs-pypi.tsv.gz');
  assert.deepEqual(different, []);
  assert.ok(count > 12_000, `${count} pairs`);
});
