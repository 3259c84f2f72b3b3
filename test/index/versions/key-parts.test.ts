// How versions are read: examples, and the two properties that make the parts trustworthy. Versions have
// equal parts exactly if their keys are equal, and comparing parts by the rule of the scheme orders versions
// as their keys do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { VersionPart } from '../../../src/index/versions/key-parts.ts';
import {
  compareKeys,
  readVersion,
  schemeFacts,
  VERSION_SCHEMES,
  type VersionScheme,
  versionKey,
} from '../../../src/index/versions/version-key.ts';
import { PACKAGE_TWINS } from '../../support/oracles/package-orders.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

function shown(scheme: VersionScheme, version: string): string | undefined {
  return readVersion(schemeFacts(scheme), version)
    ?.map(({ kind, text }) => `${kind} ${text}`.trim())
    .join(', ');
}

test('a version is read as the parts that the order compares', () => {
  const cases: readonly (readonly [scheme: VersionScheme, version: string, parts: string | undefined])[] = [
    ['wordpress', '1.0-beta', 'number 1, number 0, word beta'],
    ['wordpress', 'v1.0.0', 'number 1'],
    ['wordpress', '0.0', 'number 0'],
    ['wordpress', '0.0.0.0.0.7', 'number 0, number 0, number 0, number 0, number 0, number 7'],
    ['wordpress', '0.0.0.0.rc1', 'number 0, number 0, number 0, number 0, word rc, number 1'],
    ['wordpress', '6.9.20240101.p1', 'number 6, number 9, number 20240101, word pl, number 1'],
    ['wordpress', '2.gamma', 'number 2, word unknown'],
    ['wordpress', '99999999999999999999', 'number 9223372036854775807'],
    ['wordpress', '-', undefined],
    ['php', '1.0-beta', 'number 1, number 0, word beta'],
    ['php', '1.0', 'number 1, number 0'],
    ['php', '300.1.', 'number 300, number 1, empty'],
    ['php', '1pl2', 'number 1, word pl, number 2'],
    ['decimal', '3.41', 'fraction 3, fraction 41'],
    ['decimal', '3.05.0', 'fraction 3, fraction 05'],
    ['decimal', '1-0', 'fraction 1, surplus +1'],
    ['decimal', '1.0.0.beta', 'fraction 1, fraction 0, fraction 0, word beta'],
    ['decimal', '2.123pl', 'fraction 2, fraction 123, word pl, surplus +1'],
    ['decimal', '1.', 'fraction 1, empty'],
    ['semver', '1.2.3+build', 'major 1, minor 2, patch 3'],
    ['semver', 'v1.2', 'major 1, minor 2, patch 0'],
    [
      'semver',
      '300.0.70000-rc.1.x-y.31',
      'major 300, minor 0, patch 70000, identifier rc, identifier 1, identifier x-y, identifier 31',
    ],
    ['semver', '1.0.0-9007199254740993', 'major 1, minor 0, patch 0, identifier 9007199254740992'],
    ['semver', 'latest', undefined],
    [
      'pep440',
      '1!2.0.0rc3.post4.dev5+local',
      'epoch 1, number 2, word rc, number 3, word post, number 4, word dev, number 5, local local',
    ],
    ['pep440', '1.0+ubuntu-20.04', 'number 1, local ubuntu, local 20, local 4'],
    ['pep440', '0.0.dev1', 'number 0, word dev, number 1'],
    ['composer', 'v1.2-beta.3', 'number 1, number 2, number 0, number 0, word beta, number 3'],
    ['golang', 'go1.22rc1', 'major 1, minor 22, patch 0, identifier rc, identifier 1'],
    ['gem', '1.0.0.rc1', 'number 1, identifier rc, number 1'],
    [
      'gem',
      '1.0.a.0.0.0.0.0.5-x',
      'number 1, identifier a, number 0, number 0, number 0, number 0, number 0, number 5, identifier pre, identifier x',
    ],
    ['gem', '0.0', 'number 0'],
    ['maven', '1.0-beta-2', 'number 1, step -, word beta, step -, number 2'],
    ['maven', '1.Final.É9', 'number 1, step -, identifier é, step -, number 9'],
    ['maven', '1.ga.10', 'number 1, word release, number 10'],
    ['maven', '0', 'number 0'],
    ['nuget', '1.2-Beta.5', 'number 1, number 2, number 0, number 0, identifier BETA, identifier 5'],
  ];
  for (const [scheme, version, parts] of cases)
    assert.equal(shown(scheme, version), parts, `${scheme} ${version}`);
});

const PIECES = [
  ...words('0 0 1 2 9 10 05 31 32 226 227 239 240 300 70000 9007199254740993'),
  ...['18446744073709551616', '9'.repeat(40)],
  ...['.', '.', '.', '.', '.', '-', '-', '_', '+', '#', ' ', 'é', '~'],
  ...['a', 'alpha', 'b', 'beta', 'rc', 'RC', 'dev', 'pl', 'p', 'v', 'x', 'gamma', 'zeta'],
];
const odd = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.join(''));
const zeros = fc
  .tuple(fc.nat(130), fc.constantFrom('', '1', 'beta', 'pl', '10.'))
  .map(([count, end]) => `1.${'0.'.repeat(count)}${end}`)
  .filter((version) => version.length <= 256);
const plain = fc
  .tuple(
    fc.array(fc.constantFrom('0', '1', '2', '10', '300'), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '-rc.1', '-rc', '-1', '-40.x', '+b', '-beta'),
  )
  .map(([core, tail]) => core.join('.') + tail);
const semantic = fc
  .tuple(
    fc.array(fc.constantFrom('0', '1', '239', '240', '70000'), { minLength: 3, maxLength: 3 }),
    fc.array(
      fc.constantFrom(
        '0',
        '1',
        '30',
        '31',
        '40',
        '300',
        'rc',
        'rc1',
        '-',
        'Infinity',
        '9007199254740993',
        '9'.repeat(200),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([core, identifiers]) =>
    [core.join('.'), identifiers.join('.')].filter((text) => text !== '').join('-'),
  );
const version = fc.oneof(odd, plain, zeros, semantic);

test('parts are equal exactly if the keys are, and ascend as the keys do', () => {
  for (const scheme of VERSION_SCHEMES) {
    let compared = 0;
    fc.assert(
      fc.property(version, version, (a, b) => {
        const [left, right] = [readVersion(schemeFacts(scheme), a), readVersion(schemeFacts(scheme), b)];
        const keys = [versionKey(scheme, a), versionKey(scheme, b)];
        assert.deepEqual(
          [left === undefined, right === undefined],
          keys.map((key) => key === undefined),
        );
        if (left === undefined || right === undefined) return;
        const order = Math.sign(compareKeys(keys[0]!, keys[1]!));
        assert.equal(shown(scheme, a) === shown(scheme, b), order === 0, `${a} and ${b}`);
        assert.equal(Math.sign(compareParts(scheme, left, right)), order, `${a} and ${b}`);
        compared++;
      }),
      { numRuns: volume(3_000) },
    );
    assert.ok(compared > volume(100), `${scheme}: only ${compared} pairs of versions`);
  }
});

const WORDS_BELOW = ['unknown', 'dev', 'alpha', 'beta', 'rc'];

/** The rule of each scheme, on parts. */
function compareParts(scheme: VersionScheme, a: readonly VersionPart[], b: readonly VersionPart[]): number {
  if (scheme === 'semver' || scheme === 'golang') return compareSemver(a, b);
  if (isPackageScheme(scheme)) return comparePackages(scheme, a, b);
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = isPhp(scheme) ? comparePhp(a[i], b[i]) : comparePadded(a[i], b[i]);
    if (order !== 0) return order;
  }
  return scheme === 'decimal' ? surplusOf(a) - surplusOf(b) : 0;
}

const isPhp = (scheme: VersionScheme): boolean => scheme === 'php' || scheme === 'composer';

type PackageScheme = 'pep440' | 'gem' | 'maven' | 'nuget';

function isPackageScheme(scheme: VersionScheme): scheme is PackageScheme {
  return ['pep440', 'gem', 'maven', 'nuget'].includes(scheme);
}

/** Parts written as a version again, and compared by the slow twin. */
function comparePackages(
  scheme: PackageScheme,
  a: readonly VersionPart[],
  b: readonly VersionPart[],
): number {
  const [left, right] = [a, b].map((parts) => WRITTEN[scheme](parts));
  return PACKAGE_TWINS[scheme].compare(left, right);
}

const WRITTEN: Readonly<Record<PackageScheme, (parts: readonly VersionPart[]) => string>> = {
  pep440: (parts) =>
    parts
      .map(({ kind, text }, i) => {
        if (kind === 'epoch') return `${text}!`;
        if (kind === 'local') return `${parts[i - 1].kind === 'local' ? '.' : '+'}${text}`;
        return i > 0 && kind === 'number' && parts[i - 1].kind === 'number' ? `.${text}` : text;
      })
      .join(''),
  gem: (parts) => ['0', ...parts.map(({ text }) => text)].slice(parts[0].kind === 'number' ? 1 : 0).join('.'),
  maven: (parts) =>
    parts
      .map(({ kind, text }, i) => {
        if (kind === 'step') return '-';
        return i > 0 && parts[i - 1].kind !== 'step' ? `.${text}` : text;
      })
      .join('')
      .concat('-'), // a word at the end would step down
  nuget: (parts) => {
    const texts = parts.map(({ text }) => text);
    return [texts.slice(0, 4).join('.'), texts.slice(4).join('.')].filter((text) => text !== '').join('-');
  },
};

/** Where missing parts end the version: below every number, above the words before a release. */
function comparePhp(a: VersionPart | undefined, b: VersionPart | undefined): number {
  return (
    phpRank(a) - phpRank(b) || (a?.kind === 'number' && b?.kind === 'number' ? bigOrder(a.text, b.text) : 0)
  );
}

function phpRank(part: VersionPart | undefined): number {
  if (part === undefined) return 6;
  if (part.kind === 'empty') return 0;
  if (part.kind === 'number') return 7;
  return part.text === 'pl' ? 8 : 1 + WORDS_BELOW.indexOf(part.text);
}

/** Where missing parts are zero. */
function comparePadded(a: VersionPart | undefined, b: VersionPart | undefined): number {
  const order = paddedRank(a) - paddedRank(b);
  if (order !== 0 || a?.kind === 'word' || a?.kind === 'empty') return order;
  if (a?.kind === 'fraction' || b?.kind === 'fraction') {
    const [x, y] = [a, b].map((part) => (part?.kind === 'fraction' ? part.text : '').padEnd(330, '0'));
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const [x, y] = [a, b].map((part) => (part?.kind === 'number' ? part.text : '0'));
  return bigOrder(x, y);
}

function paddedRank(part: VersionPart | undefined): number {
  if (part?.kind === 'empty') return 0;
  if (part?.kind !== 'word') return 7;
  return part.text === 'pl' ? 8 : 1 + WORDS_BELOW.indexOf(part.text);
}

function surplusOf(parts: readonly VersionPart[]): number {
  return Number(parts.find(({ kind }) => kind === 'surplus')?.text ?? 0);
}

function compareSemver(a: readonly VersionPart[], b: readonly VersionPart[]): number {
  for (let i = 0; i < 3; i++) {
    const order = bigOrder(a[i].text, b[i].text);
    if (order !== 0) return order;
  }
  if (a.length === 3 || b.length === 3) return a.length === b.length ? 0 : b.length - a.length;
  for (let i = 3; i < Math.min(a.length, b.length); i++) {
    const order = compareIdentifiers(a[i].text, b[i].text);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareIdentifiers(a: string, b: string): number {
  const [isA, isB] = [a, b].map((text) => /^\d+$/.test(text));
  if (isA !== isB) return isA ? -1 : 1;
  if (isA) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

const bigOrder = (a: string, b: string): number =>
  BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
