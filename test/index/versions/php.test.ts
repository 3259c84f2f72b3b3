// The php order, compared with PHP's own answers, with a plain transliteration of its algorithm, and with a
// fixture line by line.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compareKeys, versionKey } from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { canonical, normalise, comparePhp as twin } from '../../support/oracles/php-order.ts';
import { volume } from '../../support/volume.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `${DATA} is absent`;

function rows(name: string): string[][] {
  const text = gunzipSync(readFileSync(`${DATA}/${name}`)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

function compare(a: string, b: string): number {
  const left = versionKey('php', a);
  const right = versionKey('php', b);
  assert.ok(left !== undefined && right !== undefined, `${a} or ${b} has no key`);
  return compareKeys(left, right);
}

const pieces = fc.constantFrom(
  ...['0', '1', '9', '10', '00', '240', '999999999', '9223372036854775807', '9223372036854775808'],
  ...['.', '.', '.', '-', '_', '+', '~', ' ', '\t', '#', '*', '(', '\x7f', 'é', '€', '😀'],
  ...['a', 'alpha', 'b', 'beta', 'rc', 'RC', 'dev', 'Dev', 'de', 'pl', 'p', 'v', 'V', 'x', 'r', 'c'],
);
const odd = fc.array(pieces, { maxLength: 7 }).map((parts) => parts.join(''));

test('a php key orders odd versions like the documented algorithm', () => {
  fc.assert(
    fc.property(odd, odd, (a, b) => {
      assert.equal(compare(a, b), twin(a, b), `${JSON.stringify(a)} against ${JSON.stringify(b)}`);
    }),
    { numRuns: volume(20_000) },
  );
});

test('a php key orders versions with a common prefix like the documented algorithm', () => {
  fc.assert(
    fc.property(odd, odd, odd, (start, a, b) => {
      assert.equal(
        compare(start + a, start + b),
        twin(start + a, start + b),
        JSON.stringify([start + a, start + b]),
      );
    }),
    { numRuns: volume(20_000) },
  );
});

test('every line of php.txt holds in both directions', () => {
  assertOrderFixture('php', compare, 50);
});

test('an empty version is the lowest, whether blank or a lone v', () => {
  for (const empty of ['', ' ', 'v', ' V\n']) {
    assert.equal(compare(empty, ''), 0);
    for (const other of ['.', '-', '1', 'foo', '.1', '1.', '#']) assert.equal(compare(empty, other), -1);
  }
});

test('a version ends at a NUL, as in C, wherever it stands', () => {
  for (const start of ['1.0', '1.0a', '1.0.', '1.0-', 'beta', '1.']) {
    assert.equal(compare(`${start}\0.9`, start), 0, start);
    assert.equal(compare(`${start}\x000`, start), 0, start);
  }
});

test('a space after the leading v is kept and makes an unknown word', () => {
  assert.equal(compare('v 1.0', '1.0'), -1);
  assert.equal(compare('v 1.0', 'foo1.0'), 0);
});

test("a php key gives PHP's answer for every recorded pair without '#', in both directions", { skip }, () => {
  let count = 0;
  for (const [a, b, sign] of rows('php-pairs.tsv.gz')) {
    if (a.includes('#') || b.includes('#')) continue;
    assert.equal(compare(a, b), Number(sign), JSON.stringify([a, b]));
    assert.equal(compare(b, a), 0 - Number(sign), JSON.stringify([b, a]));
    count++;
  }
  assert.ok(count > 50_000, `${count} pairs`);
});

test("a recorded pair with '#' differs only where PHP takes '#' for any number or for the end", {
  skip,
}, () => {
  let count = 0;
  let different = 0;
  for (const [a, b, sign] of rows('php-pairs.tsv.gz')) {
    if (!a.includes('#') && !b.includes('#')) continue;
    count++;
    if (compare(a, b) === Number(sign)) continue;
    different++;
    const left = canonical(normalise(a)).split('.');
    const right = canonical(normalise(b)).split('.');
    const i = left.findIndex((part, at) => part.startsWith('#') || (right[at] ?? '').startsWith('#'));
    for (const part of [left[i], right[i]]) {
      assert.ok(part === undefined || /^[0-9#]/.test(part), JSON.stringify([a, b]));
    }
  }
  assert.ok(different < count / 5, `${different} of ${count}`);
});

test('every real WordPress version has a key', { skip }, () => {
  for (const [version] of rows('versions-wp.tsv.gz')) {
    assert.ok(versionKey('php', version), version);
    assert.ok(versionKey('decimal', version), version);
  }
});
