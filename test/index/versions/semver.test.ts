// The semver order, compared with the npm package semver and with a fixture line by line.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import semver from 'semver';
import { compareKeys, versionKey } from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `${DATA} is absent`;

/**
 * What the contract accepts, using the package: loose versions, with missing second and third numbers added.
 */
function parse(version: string): semver.SemVer | null {
  if (version.length > 256) return null;
  const short = /^[v=\s]*(\d+)(\.\d+)?$/.exec(version.trim());
  return semver.parse(short ? `${short[1]}${short[2] ?? '.0'}.0` : version, { loose: true });
}

function compare(a: string, b: string): number {
  const left = versionKey('semver', a);
  const right = versionKey('semver', b);
  assert.ok(left !== undefined && right !== undefined, `${a} or ${b} has no key`);
  return compareKeys(left, right);
}

const number = fc.oneof(
  fc.constantFrom('0', '1', '9', '10', '239', '240', '255', '256', '65536', '9007199254740991', '01'),
  fc.maxSafeNat().map(String),
);
const identifier = fc.oneof(
  fc.constantFrom('0', '1', '30', '31', '32', '255', '256', 'a', 'A', '-', 'rc', 'rc1', '1a', 'alpha', 'x-y'),
  fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '9007199254740994', '00', ''),
  fc.stringMatching(/^[1-9][0-9]{15,40}$/),
  fc.stringMatching(/^[0-9A-Za-z-]{1,4}$/),
);
const version = fc
  .tuple(
    fc.array(number, { minLength: 3, maxLength: 3 }),
    fc.array(identifier, { maxLength: 4 }),
    fc.constantFrom('', '', '', '+b', '+001.x-', '+', '+a..b'),
    fc.constantFrom('', '', '', '', 'v', '=', '= v', ' ', '\u00a0', 'V', 'vv'),
    fc.constantFrom('-', '-', '-', ''),
  )
  .map(([core, pre, build, lead, dash]) => {
    const tail = pre.length > 0 ? `${dash}${pre.join('.')}` : '';
    return `${lead}${core.join('.')}${tail}${build}`;
  });
const short = fc.array(number, { minLength: 0, maxLength: 5 }).map((parts) => parts.join('.'));
const noise = fc
  .array(fc.constantFrom('0', '1', '2', '.', '.', '-', '+', 'v', '=', ' ', 'x', 'a', '\ufeff', 'é', '\t'), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));

test('a string has a semver key if and only if it is a version', () => {
  fc.assert(
    fc.property(fc.oneof(version, short, noise), (text) => {
      assert.equal(versionKey('semver', text) !== undefined, parse(text) !== null, JSON.stringify(text));
    }),
    { numRuns: volume(20_000) },
  );
});

/**
 * The package stops at the first two numbers that differ as written, even if they are the same double, and
 * calls the versions equal whatever follows: then a.1 = b.2 and b.2 = a.3, yet a.1 < a.3. That is not an
 * order.
 */
function isRoundedAway(a: semver.SemVer, b: semver.SemVer): boolean {
  const i = a.prerelease.findIndex((each, at) => each !== b.prerelease[at]);
  if (i < 0 || i >= b.prerelease.length) return false;
  return /^[0-9]+$/.test(`${a.prerelease[i]}`) && Number(a.prerelease[i]) === Number(b.prerelease[i]);
}

test('a semver key orders odd versions like the package', () => {
  const valid = fc.oneof(version, short).filter((text) => parse(text) !== null);
  fc.assert(
    fc.property(valid, valid, (a, b) => {
      const left = parse(a)!;
      const right = parse(b)!;
      if (isRoundedAway(left, right)) return;
      assert.equal(compare(a, b), semver.compare(left, right), `${a} against ${b}`);
    }),
    { numRuns: volume(5_000) },
  );
});

test('a semver key orders pre-releases of one version like the package', () => {
  const pre = fc
    .array(identifier, { maxLength: 4 })
    .map((parts) => (parts.length > 0 ? `1.2.3-${parts.join('.')}` : '1.2.3'))
    .filter((text) => parse(text) !== null);
  fc.assert(
    fc.property(pre, pre, (a, b) => {
      const left = parse(a)!;
      const right = parse(b)!;
      if (isRoundedAway(left, right)) return;
      assert.equal(compare(a, b), semver.compare(left, right), `${a} against ${b}`);
    }),
    { numRuns: volume(10_000) },
  );
});

test('identifiers after numbers that round to the same double still count', () => {
  assert.equal(compare('1.0.0-9007199254740992.1', '1.0.0-9007199254740993.2'), -1);
  assert.equal(compare('1.0.0-9007199254740993.1', '1.0.0-9007199254740992.2'), -1);
  assert.equal(compare('1.0.0-9007199254740992.1', '1.0.0-9007199254740993.1'), 0);
});

test('a text that is not a version has no key', () => {
  const others = ['', ' ', ...words('latest * ^1.0.0 1.0a 1.2.3.4 1.0-foo 1.1. 1..2 1.x .5')];
  for (const text of [...others, '1.2.3-a..b', '1.2.3_4', '1.2.3+', '1.0+b', 'V1.2.3', '-1']) {
    assert.equal(versionKey('semver', text), undefined, text);
  }
  assert.equal(versionKey('semver', '9007199254740992.0.0'), undefined);
  assert.equal(versionKey('semver', '1.0.99999999999999999'), undefined);
});

test('a version of 256 characters has a key and one of 257 has none, counting whitespace', () => {
  assert.ok(versionKey('semver', `1.2.3-${'a'.repeat(250)}`));
  assert.equal(versionKey('semver', `1.2.3-${'a'.repeat(251)}`), undefined);
  assert.equal(versionKey('semver', `${' '.repeat(252)}1.2.3`), undefined);
});

test('exactly the whitespace that trim() removes is removed', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const blank = String.fromCharCode(code);
    const text = `${blank}1.2.3${blank}`;
    if (text.trim() === '1.2.3') assert.ok(versionKey('semver', text), `U+${code.toString(16)}`);
    else if (!/[0-9v=]/.test(blank))
      assert.equal(versionKey('semver', text), undefined, `U+${code.toString(16)}`);
  }
});

test('a loose version is read like node-semver reads it, including backtracking', () => {
  for (const [loose, strict] of [
    ['01.02.03', '1.2.3'],
    ['2025.08.14', '2025.8.14'],
    ['1.2.3beta', '1.2.3-beta'],
    ['1.2.3-01', '1.2.3-1'],
    ['1.2.3-', '1.2.3--'],
    ['1.2.3-.a', '1.2.3--.a'],
    ['1.2.34.5', '1.2.3-4.5'],
    ['=v =1.2.3', '1.2.3'],
    ['0000000000000000000000000001.0.0', '1.0.0'],
  ]) {
    assert.deepEqual(versionKey('semver', loose), versionKey('semver', strict), loose);
    assert.equal(semver.parse(loose, { loose: true })?.version, strict);
  }
});

test('every line of semver.txt holds in both directions', () => {
  assertOrderFixture('semver', compare, 30);
});

test('real npm versions are recognised, and every pair of them is in order', { skip }, () => {
  const lines = gunzipSync(readFileSync(`${DATA}/versions-npm.tsv.gz`))
    .toString('utf8')
    .split('\n');
  const known: Array<{ readonly text: string; readonly key: Uint8Array; readonly parsed: semver.SemVer }> =
    [];
  for (const line of lines) {
    if (line === '') continue;
    const text = line.split('\t')[0];
    const key = versionKey('semver', text);
    const parsed = parse(text);
    assert.equal(key !== undefined, parsed !== null, JSON.stringify(text));
    if (key !== undefined && parsed !== null) known.push({ text, key, parsed });
  }
  assert.ok(known.length > 2_500, `${known.length} versions`);
  let count = 0;
  for (const a of known) {
    for (const b of known) {
      count++;
      // Not assert.equal: 7.8 million calls would take longer than the comparisons.
      if (compareKeys(a.key, b.key) !== a.parsed.compare(b.parsed))
        assert.fail(`${a.text} against ${b.text}`);
    }
  }
  assert.equal(count, known.length ** 2);
});
