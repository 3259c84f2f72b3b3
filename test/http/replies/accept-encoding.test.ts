// Which coding a client is sent, by what it accepts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Coding, chooseCoding } from '../../../src/http/replies/accept-encoding.ts';
import { phrases } from '../../support/words.ts';

const ALL: readonly Coding[] = ['br', 'gzip', 'identity'];

test('the coding with the highest weight is sent, and among equals the one that is offered first', () => {
  for (const [header, offered, expected] of [
    ['gzip, deflate, br, zstd', ALL, 'br'],
    ['gzip, deflate, br, zstd', ['gzip', 'identity'], 'gzip'],
    ['gzip, deflate, br, zstd', ['identity'], 'identity'],
    ['br;q=0.5, gzip', ALL, 'gzip'],
    ['br;q=0.5, gzip;q=0.501', ALL, 'gzip'],
    ['BR ; Q=1.000', ALL, 'br'],
    ['x-gzip', ALL, 'gzip'],
    ['*', ALL, 'br'],
    ['br;q=0, *', ALL, 'gzip'],
    ['*;q=0.1, gzip;q=0.2', ALL, 'gzip'],
    ['gzip;q=0.001', ALL, 'gzip'],
    ['identity, gzip;q=0.9', ALL, 'identity'],
    ['identity;q=0.5, gzip;q=0.5', ALL, 'gzip'],
  ] as const) {
    assert.equal(chooseCoding(header, offered), expected, `${header} of ${offered}`);
  }
});

test('identity is sent where nothing that is offered is accepted', () => {
  for (const header of [
    ...[
      '',
      ...phrases(`
        deflate | identity | zstd, dcb | br;q=0, gzip;q=0 | *;q=0 | br;q=0.000,gzip;q=0. | brotli
      `),
    ],
    'identity;q=0, br;q=0', // by the letter a 406, which would help nobody
  ]) {
    assert.equal(chooseCoding(header, ALL), 'identity', header);
  }
});

test('a malformed member is ignored, and the others count', () => {
  for (const member of [
    ...phrases(`
      br;q=2 | br;q=-1 | br;q=0.5555 | br;q=a | br;q= | br;level=9 | br;q=1;q=0 | b r | ; | br gzip
    `),
    `br;q=1${' '.repeat(4_000)}x`,
  ]) {
    assert.equal(chooseCoding(member, ALL), 'identity', member);
    assert.equal(chooseCoding(`${member}, , gzip;q=0.1`, ALL), 'gzip', member);
  }
});
