// Properties of the keys of every scheme: limits, copies, and byte comparison.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compareKeys,
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  SCHEME_REVISIONS,
  schemeFacts,
  VERSION_SCHEMES,
  versionKey,
  writeKeyOfScheme,
} from '../../../src/index/versions/version-key.ts';
import { volume } from '../../support/volume.ts';

/** The array is too long on purpose: one of MAX_KEY_BYTES bytes would silently drop writes past its end. */
function keyLength(scheme: (typeof VERSION_SCHEMES)[number], version: string): number {
  const out = new Uint8Array(4 * MAX_KEY_BYTES).fill(0xaa);
  const length = writeKeyOfScheme(schemeFacts(scheme).code, version, out);
  assert.ok(length <= MAX_KEY_BYTES, `${length} bytes for ${version}`);
  assert.ok(
    out.subarray(MAX_KEY_BYTES).every((byte) => byte === 0xaa),
    `bytes past the bound for ${version}`,
  );
  return length;
}

test('every scheme has a revision', () => {
  assert.deepEqual(Object.keys(SCHEME_REVISIONS).sort(), [...VERSION_SCHEMES].sort());
});

test('no version of 256 bytes has a key longer than the bound', () => {
  const pieces = [
    '1',
    '1a',
    'a1',
    '1.',
    '.1',
    '1#',
    '0a',
    '0.',
    '0',
    '9',
    '99a',
    '999.',
    '240.',
    '.',
    '-',
    '-1',
  ];
  const more = [
    'p1',
    '~',
    ' 1',
    '1 ',
    '#',
    '#.',
    '10a',
    '1é',
    '31.',
    '9999999999999999.',
    '1.0.0-',
    '+',
    'v',
    '1-a',
    'x1',
    '1.x',
    '-0',
    '€1',
    'İ1',
  ];
  for (const scheme of VERSION_SCHEMES) {
    for (const first of ['', '1', '1.', '.', '-', '#', '1.2.3-', '1.2.3-a.', '240.240.240-', '1.2.3+', 'v']) {
      for (const piece of [...pieces, ...more]) {
        const version = first + piece.repeat(MAX_VERSION_BYTES);
        for (const cut of [MAX_VERSION_BYTES, MAX_VERSION_BYTES - 1, 2, 1]) {
          keyLength(scheme, version.slice(0, cut));
          keyLength(scheme, `${version.slice(0, cut - 1)}.`);
        }
      }
    }
  }
});

test('some key nearly reaches the bound', () => {
  assert.equal(keyLength('gem', `1${'-'.repeat(MAX_VERSION_BYTES - 1)}`), MAX_KEY_BYTES - 2);
  assert.equal(keyLength('decimal', '1a'.repeat(MAX_VERSION_BYTES / 2)), 2 * MAX_VERSION_BYTES + 1);
  assert.equal(keyLength('maven', 'x1'.repeat(MAX_VERSION_BYTES / 2)), 3 * MAX_VERSION_BYTES);
});

test('random text of up to 256 characters stays within the bound', () => {
  const piece = fc.constantFrom('0', '1', '24', '999', '.', '-', '#', 'a', 'p', ' ', '~', '+', 'é', 'v');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 0, maxLength: 256 }), (parts) => {
      for (const scheme of VERSION_SCHEMES) {
        keyLength(scheme, parts.join(''));
        keyLength(scheme, `1.2.3-${parts.join('')}`);
      }
    }),
    { numRuns: volume(500) },
  );
});

test('a version of more than 256 bytes of UTF-8 has no key in any scheme', () => {
  for (const [unit, bytes] of [
    ['1', 1],
    ['é', 2],
    ['€', 3],
    ['\ud800', 3],
    ['😀', 4],
  ] as const) {
    const fits = Math.floor(MAX_VERSION_BYTES / bytes);
    const filler = '1'.repeat(MAX_VERSION_BYTES - fits * bytes);
    const version = filler + unit.repeat(fits);
    assert.equal(Buffer.byteLength(version), MAX_VERSION_BYTES);
    for (const scheme of ['php', 'decimal'] as const) {
      assert.ok(versionKey(scheme, version), `${bytes} bytes a character, ${scheme}`);
    }
    for (const scheme of VERSION_SCHEMES) {
      assert.equal(versionKey(scheme, `1${version}`), undefined, `${bytes} bytes a character, ${scheme}`);
    }
  }
});

test('any string is a version in php and decimal, and a key is never empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const scheme of ['php', 'decimal'] as const) assert.ok(versionKey(scheme, text)!.length > 0);
    }),
  );
});

test('a key is a copy of exactly its size that the next call does not change', () => {
  const key = versionKey('semver', '1.2.3')!;
  const before = [...key];
  assert.equal(key.buffer.byteLength, key.length);
  versionKey('semver', '9.9.9-rc.1');
  assert.deepEqual([...key], before);
  const out = new Uint8Array(MAX_KEY_BYTES);
  assert.equal(writeKeyOfScheme(schemeFacts('semver').code, '1.2.3', out), key.length);
  assert.deepEqual([...out.subarray(0, key.length)], before);
});

test('a key does not depend on the versions read before it', () => {
  const versions = ['1.0', '#1..b', '1.', '', '1#2', '-1', '.', '1.0rc1', '99999999999999999999', '1é', 'v'];
  for (const scheme of ['php', 'decimal'] as const) {
    const alone = versions.map((version) => versionKey(scheme, version));
    for (const [i, version] of versions.entries()) {
      for (const other of versions) {
        versionKey(scheme, other);
        assert.deepEqual(versionKey(scheme, version), alone[i], `${version} after ${other}`);
      }
    }
  }
});

test('keys compare byte by byte, and a prefix sorts first', () => {
  const bytes = fc.uint8Array({ maxLength: 6, max: 3 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(compareKeys(a, b), Buffer.compare(a, b));
    }),
  );
  assert.equal(compareKeys(Uint8Array.of(1, 255), Uint8Array.of(2)), -1);
});
