// Properties of the keys of every scheme: limits, copies, and byte comparison. Then the orders of package
// versions: each is compared with a plain version of its rule, with a fixture line by line, and with recorded
// answers of the native tool where there are some.

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
import { compareAsMaven } from '../../support/oracles/maven-order.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import {
  assertLikeTwin,
  differentPairs,
  orderOf,
  type PackageScheme,
  pairsOptions,
  textsOf,
} from '../../support/oracles/package-pairs.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

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
    ...words(
      '1 1a a1 1. .1 1# 0a 0. 0 9 99a 999. 240. . - -1 p1 ~ # #. 10a 1é 31. 9999999999999999. 1.0.0- +',
    ),
    ...words('v 1-a x1 1.x -0 €1 İ1'),
    ...[' 1', '1 '],
  ];
  for (const scheme of VERSION_SCHEMES) {
    for (const first of ['', '1', '1.', '.', '-', '#', '1.2.3-', '1.2.3-a.', '240.240.240-', '1.2.3+', 'v']) {
      for (const piece of pieces) {
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

interface Order {
  /** What versions, and texts that are almost versions, are made of; twice what is to come often. */
  readonly pieces: readonly string[];
  readonly notVersions: readonly string[];
  /** Recorded answers of the native tool, and the pairs where ours is another one. */
  readonly pairs?: { readonly file: string; readonly different: readonly string[] };
}

const DIGITS_30 = '9'.repeat(30);

const ORDERS: Readonly<Record<PackageScheme, Order>> = {
  // PEP 440; the pairs are answers of Python's package packaging.
  pep440: {
    pieces: [
      ...words('0 0 1 2 10 01 99 100 20240101 . . . - _ ! + a A b c rc RC alpha beta pre preview r rev post'),
      ...words('POST dev Dev .post1 .dev1 rc1 -1 +l.1 v x \u0661 ſ'),
      ...[DIGITS_30, ' '],
    ],
    notVersions: [
      ...words('v latest * 1.x 1..2 1. .1 1.0- 1.0-foo 0.1-bulbasaur 2013-01-21T20:33:09 1! !1 1!2!3 1.0+'),
      ...words('1.0+a..b 1.0+a+b 1.0rc1rc2 1.0dev1post1 1.0a1b1 \u0661.0 >=1'),
      ...['', ' ', '1 0'],
    ],
    pairs: { file: 'pairs-pypi.tsv.gz', different: [] },
  },
  // composer/semver's normalisation; the pairs are answers of composer/semver and PHP.
  composer: {
    pieces: [
      ...words('0 0 1 2 10 01 240 99999 100000 2024 0102 . . . - _ a b rc RC alpha beta p pl patch stable'),
      ...words('Stable dev -dev .x .* : v .01 -02 x-dev +b @dev @beta @ # , dev- é \u0661'),
      ...[DIGITS_30, ' as ', ' '],
    ],
    notVersions: [
      ...words('v latest * 1.x dev-master dev-main master main-dev dev-1.0 1.0.0.0.0 12345678901234567890.1'),
      ...words('1.0-foo 1.0-2 1.0#abc 1.0+ 1..2 >=1.0 1.0,2.0 1.0@foo \u0661.0'),
      ...['', ' ', '1.0 || 2.0', '1.0 as'],
    ],
    pairs: { file: 'pairs-composer.tsv.gz', different: [] },
  },
  // node-semver, on what a plain version of Go's grammar accepts.
  golang: {
    pieces: [
      ...words('0 0 1 2 10 01 300 9007199254740991 9007199254740993 . . . .1 .0 - + v go rc rc1 beta2 a B'),
      ...words('-rc.1 -0.20240101000000-abcdefabcdef +incompatible = é'),
      ' ',
    ],
    notVersions: [
      ...words(
        'v go latest 1.2.3.4 1.2-rc 1.2+b 01.2.3 1.2.3-01 1.2.3- 1.2.3+ 1.2.3-a..b 1.2.3beta 1.2.34.5',
      ),
      ...words('=1.2.3 V1.2.3 vv1 go1.21rc go1.21-rc1 go1.21.3-custom gov1 devel 9007199254740992.0.0'),
      ...words('1.2.3_4 \u0661.0.0'),
      ...['', ' ', ' 1.2.3', 'go1.21.3 X:boringcrypto'],
    ],
  },
  // Gem::Version; the pairs are answers of Ruby.
  gem: {
    pieces: [
      ...words('0 0 1 2 10 01 99 100 . . . . - - .0 .0.0 .0.0.0.0 a b B rc pre beta .a .pre .rc1 a10 _ + é'),
      ...['\u0661', DIGITS_30, ' '],
    ],
    notVersions: [
      ...words('v1 latest * 1a 1..2 1. .1 1- 1-.a 1.-a 1-a..b 1.0_1 1.0+1 -1 a 1.é \u0661.0'),
      ...['', ' ', '1 0', '~> 1'],
    ],
    pairs: { file: 'pairs-gem.tsv.gz', different: [] },
  },
  // Maven's ComparableVersion; the pairs are answers of Maven.
  maven: {
    pieces: [
      ...words(
        '0 0 1 2 10 01 100 . . . - - - _ + v a A b m M x alpha beta milestone rc CR snapshot SNAPSHOT',
      ),
      ...words('ga Final release sp SP foo é É \u0661 \u096c \u{1d7d9} 😀 \uffee İ'),
      ...[DIGITS_30, ' '],
    ],
    notVersions: ['', '\n', '1\t0', '1.0\u0000', '\u0085', '1.0\u007f'],
    pairs: {
      file: 'pairs-maven.tsv.gz',
      different: [
        // Maven contradicts itself: 3.16.0.rc.1 < 3.16.0 < 3.16.0-01 < 3.16.0.rc.1.
        '0.0.0.RC7-3 v1.0.0.RC7-3',
        '3.16.0-01 3.16.0.rc.1',
        '3.19.0-01 3.19.0.rc.1',
        '8_0.0.Beta5 8-0.0.Beta5',
      ],
    },
  },
  nuget: {
    pieces: [
      ...words('0 0 1 2 10 01 99 100 . . . .1 .0 - - + a B b rc RC beta -beta -rc.1 -0 -1a +meta v _ * é'),
      ...['\u0661', DIGITS_30, ' '],
    ],
    notVersions: [
      ...words(
        'v1.0 latest * 1.0.0.0.0 1.* 1..2 1. .1 1.0- 1.0+ 1.0-a..b 1.0-a_b 1.0+a..b 1.0+a+b [1.0] -1 a',
      ),
      ...words('\u0661.0 1.0-é'),
      ...['', ' ', '1. 0'],
    ],
  },
};

for (const [name, { pieces, notVersions, pairs }] of Object.entries(ORDERS)) {
  const scheme = name as PackageScheme;

  test(`a text has a ${scheme} key if and only if it is a version, and versions are in order`, () => {
    assertLikeTwin(scheme, textsOf(pieces, 8));
  });

  test(`${scheme} versions with a common beginning are in order`, () => {
    const texts = textsOf(pieces, 5).map((text) => `1.2${text}`);
    assertLikeTwin(scheme, texts);
  });

  test(`a text that is not a ${scheme} version has no key`, () => {
    for (const text of notVersions) assert.equal(versionKey(scheme, text), undefined, JSON.stringify(text));
  });

  test(`every line of ${scheme}.txt holds in both directions`, () => {
    assertOrderFixture(scheme, orderOf(scheme), 30);
  });

  if (pairs !== undefined) {
    test(`a ${scheme} key gives the recorded answer for every pair, in both directions`, pairsOptions, () => {
      const { count, different } = differentPairs(scheme, pairs.file);
      assert.deepEqual(different, pairs.different);
      assert.ok(count > 12_000, `${count} pairs`);
    });
  }
}

test('where Maven contradicts itself, a release stays between its pre-releases and what follows it', () => {
  const circle = ['3.16.0.rc.1', '3.16.0', '3.16.0-01'];
  const compare = orderOf('maven');
  for (const [i, version] of circle.entries()) {
    assert.equal(compareAsMaven(version, circle[(i + 1) % 3]), -1);
    if (i < 2) assert.equal(compare(version, circle[i + 1]), -1);
  }
});
