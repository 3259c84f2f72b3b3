// The order of NuGet, compared with a plain version of its rule, and with a fixture line by line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionKey } from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { assertLikeTwin, orderOf, textsOf } from '../../support/oracles/package-pairs.ts';

const PIECES = [
  ...['0', '0', '1', '2', '10', '01', '99', '100', '9'.repeat(30), '.', '.', '.', '.1', '.0', '-', '-', '+'],
  ...[
    'a',
    'B',
    'b',
    'rc',
    'RC',
    'beta',
    '-beta',
    '-rc.1',
    '-0',
    '-1a',
    '+meta',
    'v',
    ' ',
    '_',
    '*',
    'é',
    '\u0661',
  ],
];

test('a text has a nuget key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('nuget', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'nuget',
    textsOf(PIECES, 5).map((text) => `1.2${text}`),
  );
});

test('a text that is not a version has no key', () => {
  for (const text of [
    ...[
      '',
      ' ',
      'v1.0',
      'latest',
      '*',
      '1.0.0.0.0',
      '1.*',
      '1..2',
      '1.',
      '.1',
      '1.0-',
      '1.0+',
      '1.0-a..b',
      '1.0-a_b',
    ],
    ...['1.0+a..b', '1.0+a+b', '1. 0', '[1.0]', '-1', 'a', '\u0661.0', '1.0-é'],
  ]) {
    assert.equal(versionKey('nuget', text), undefined, JSON.stringify(text));
  }
});

test('every line of nuget.txt holds in both directions', () => {
  assertOrderFixture('nuget', orderOf('nuget'), 30);
});
