// The order of Go, compared with node-semver on what a plain version of its grammar accepts, and with a
// fixture line by line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionKey } from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { assertLikeTwin, orderOf, textsOf } from '../../support/oracles/package-pairs.ts';

const PIECES = [
  ...[
    '0',
    '0',
    '1',
    '2',
    '10',
    '01',
    '300',
    '9007199254740991',
    '9007199254740993',
    '.',
    '.',
    '.',
    '.1',
    '.0',
    '-',
    '+',
  ],
  ...[
    'v',
    'go',
    'rc',
    'rc1',
    'beta2',
    'a',
    'B',
    '-rc.1',
    '-0.20240101000000-abcdefabcdef',
    '+incompatible',
    ' ',
    '=',
    'é',
  ],
];

test('a text has a golang key if and only if it is a version, and versions are in order', () => {
  assertLikeTwin('golang', textsOf(PIECES, 8));
});

test('versions with a common beginning are in order', () => {
  assertLikeTwin(
    'golang',
    textsOf(PIECES, 5).map((text) => `1.2${text}`),
  );
});

test('a text that is not a version has no key', () => {
  for (const text of [
    ...[
      '',
      ' ',
      'v',
      'go',
      'latest',
      '1.2.3.4',
      '1.2-rc',
      '1.2+b',
      '01.2.3',
      '1.2.3-01',
      '1.2.3-',
      '1.2.3+',
      '1.2.3-a..b',
    ],
    ...[
      '1.2.3beta',
      '1.2.34.5',
      '=1.2.3',
      'V1.2.3',
      ' 1.2.3',
      'vv1',
      'go1.21rc',
      'go1.21-rc1',
      'go1.21.3-custom',
      'gov1',
    ],
    ...['go1.21.3 X:boringcrypto', 'devel', '9007199254740992.0.0', '1.2.3_4', '\u0661.0.0'],
  ]) {
    assert.equal(versionKey('golang', text), undefined, JSON.stringify(text));
  }
});

test('every line of golang.txt holds in both directions', () => {
  assertOrderFixture('golang', orderOf('golang'), 30);
});
