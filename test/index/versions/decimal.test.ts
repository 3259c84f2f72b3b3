// The decimal order, compared with recorded answers of "pad, then version_compare", with a plain version of
// that rule, and with a fixture line by line. The rule contradicts itself on some versions; the tests say
// which they leave out.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compareKeys, versionKey } from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { volume } from '../../support/volume.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `${DATA} is absent`;

function compare(a: string, b: string): number {
  const left = versionKey('decimal', a);
  const right = versionKey('decimal', b);
  assert.ok(left !== undefined && right !== undefined, `${a} or ${b} has no key`);
  return compareKeys(left, right);
}

const WORDS = ['dev', 'alpha', 'beta', 'rc', '0', 'pl'];

function wordRank(part: string): number {
  const forms = ['dev', 'a', 'b', 'rc', '0', 'p'];
  return forms.findIndex((form) => part.startsWith(form));
}

/**
 * The rule if every dotted part is all digits or all letters: add missing parts, pad, compare part by part.
 */
function twin(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const x = left[i] ?? '0';
    const y = right[i] ?? '0';
    const numbers = Number(/^[0-9]/.test(x)) - Number(/^[0-9]/.test(y));
    if (numbers === 0 && /^[0-9]/.test(x)) {
      const width = Math.max(x.length, y.length);
      const difference = BigInt(x.padEnd(width, '0')) - BigInt(y.padEnd(width, '0'));
      if (difference !== 0n) return difference < 0n ? -1 : 1;
    } else {
      const difference = wordRank(/^[0-9]/.test(x) ? '0' : x) - wordRank(/^[0-9]/.test(y) ? '0' : y);
      if (difference !== 0) return difference < 0 ? -1 : 1;
    }
  }
  return 0;
}

const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('0', '00', '1', '10', '01', '9', '5', '50', '41', '2024') },
  { weight: 1, arbitrary: fc.constantFrom('foo', 'x', ...WORDS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[0-9]{1,30}$/) },
);
const plain = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('.'));

test('a decimal key orders versions of plain parts like padding and comparing', () => {
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      assert.equal(compare(a, b), twin(a, b), `${a} against ${b}`);
    }),
    { numRuns: volume(20_000) },
  );
});

test('a decimal key orders versions with a common prefix like padding and comparing', () => {
  fc.assert(
    fc.property(plain, plain, plain, (start, a, b) => {
      assert.equal(compare(`${start}.${a}`, `${start}.${b}`), twin(a, b), `${start}: ${a} against ${b}`);
    }),
    { numRuns: volume(20_000) },
  );
});

test('zeros at the end of a number or of a version change nothing', () => {
  fc.assert(
    fc.property(plain, fc.nat(9), (version, zeros) => {
      assert.equal(compare(version, version + '.0'.repeat(zeros)), 0);
      if (/[0-9]$/.test(version)) assert.equal(compare(version, version + '0'.repeat(zeros)), 0);
    }),
  );
});

test('a run of more zeros than fit in one byte is in order, before lower and higher parts', () => {
  for (const count of [1, 99, 100, 101, 126]) {
    const run = '0.'.repeat(count);
    assert.equal(compare(`${run}rc`, `${run}0.rc`), -1);
    assert.equal(compare(`${run}0.rc`, '0'), -1);
    assert.equal(compare('0', `${run}0.1`), -1);
    assert.equal(compare(`${run}0.1`, `${run}1`), -1);
  }
  const marks = '0#'.repeat(128);
  assert.equal(compare(`${marks.slice(0, 251)}dev`, marks.slice(0, 251)), -1);
});

test('every line of decimal.txt holds in both directions', () => {
  assertOrderFixture('decimal', compare, 30);
});

// Where the rule is not an order, or reads a version in two ways depending on the other's number of parts.
function isOutside(version: string): boolean {
  const text = version.trim();
  if (text.includes('#') || text.endsWith('.')) return true;
  return text.split('.').some((each) => /[0-9]/.test(each) && /[^0-9]/.test(each.replace(/^v/i, '')));
}

test('a decimal key gives the recorded answer for every pair of versions of plain parts, in both directions', {
  skip,
}, () => {
  let inside = 0;
  let outside = 0;
  let different = 0;
  for (const line of gunzipSync(readFileSync(`${DATA}/php-pairs.tsv.gz`))
    .toString('utf8')
    .split('\n')) {
    const [a, b, , sign] = line.split('\t');
    if (sign === undefined || sign === '') continue;
    if (isOutside(a) || isOutside(b)) {
      outside++;
      if (compare(a, b) !== Number(sign)) different++;
      continue;
    }
    assert.equal(compare(a, b), Number(sign), JSON.stringify([a, b]));
    assert.equal(compare(b, a), 0 - Number(sign), JSON.stringify([b, a]));
    inside++;
  }
  assert.ok(inside > 20_000, `${inside} pairs`);
  // The others contradict each other (0.83b < 0.83 < 0.9 < 0.83b), so some must differ, but only a few do.
  assert.ok(different / outside < 0.02, `${different} of ${outside}`);
});
