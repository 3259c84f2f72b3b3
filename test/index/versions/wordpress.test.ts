// The wordpress order, compared with recorded answers of PHP on padded versions, with PHP itself if
// installed, with a plain version of the rule, and with a fixture line by line; and that it is an order at
// all.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Dice } from '../../../src/generator/dice.ts';
import {
  compareKeys,
  MAX_KEY_BYTES,
  schemeFacts,
  versionKey,
  writeKeyOfScheme,
} from '../../../src/index/versions/version-key.ts';
import { assertOrderFixture } from '../../support/oracles/order-fixture.ts';
import { askPhp, compareWordpress, padded, phpOptions } from '../../support/oracles/php-order.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `${DATA} is absent`;
const FRESH_PAIRS = volume(100_000);
const WORDPRESS = schemeFacts('wordpress').code;

function compare(a: string, b: string): number {
  const left = versionKey('wordpress', a);
  const right = versionKey('wordpress', b);
  assert.ok(left !== undefined && right !== undefined, `${a} or ${b} has no key`);
  return compareKeys(left, right);
}

const PIECES = [
  ...words('0 0 1 9 10 00 226 227 999999999 9223372036854775807 9223372036854775808'),
  ...['.', '.', '.', '.', '-', '_', '+', '~', ' ', '\t', '#', '*', '(', 'é', '😀', '\0', '..0..', '.0.0.0.'],
  ...['a', 'alpha', 'b', 'beta', 'rc', 'RC', 'dev', 'Dev', 'de', 'pl', 'p', 'v', 'V', 'x', 'r', 'c'],
];
const odd = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''))
  .filter((version) => /[a-z0-9]/i.test(version));
const plain = fc
  .array(fc.constantFrom('0', '0', '0', '1', '2', '10', 'alpha', 'rc', 'pl', 'x'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join('.'));

test('a wordpress key orders odd versions like padding and comparing', () => {
  fc.assert(
    fc.property(odd, odd, (a, b) => {
      assert.equal(compare(a, b), compareWordpress(a, b), JSON.stringify([a, b]));
    }),
    { numRuns: volume(20_000) },
  );
});

test('a wordpress key orders versions with a common prefix like padding and comparing', () => {
  fc.assert(
    fc.property(odd, odd, odd, (start, a, b) => {
      assert.equal(
        compare(start + a, start + b),
        compareWordpress(start + a, start + b),
        JSON.stringify([start + a, start + b]),
      );
    }),
    { numRuns: volume(20_000) },
  );
});

test('the rule of the scheme is a total order, as a key requires', () => {
  fc.assert(
    fc.property(fc.oneof(odd, plain), fc.oneof(odd, plain), fc.oneof(odd, plain), (a, b, c) => {
      const ab = compareWordpress(a, b);
      assert.equal(compareWordpress(b, a), 0 - ab, `antisymmetric: ${JSON.stringify([a, b])}`);
      if (ab <= 0 && compareWordpress(b, c) <= 0) {
        assert.ok(compareWordpress(a, c) <= 0, `transitive: ${JSON.stringify([a, b, c])}`);
      }
      if (ab === 0) assert.equal(compareWordpress(a, c), compareWordpress(b, c), JSON.stringify([a, b, c]));
    }),
    { numRuns: volume(20_000) },
  );
});

test('a missing part counts as 0: a version with and without .0 compares the same with every other', () => {
  fc.assert(
    fc.property(fc.oneof(odd, plain), fc.oneof(odd, plain), fc.integer({ min: 1, max: 9 }), (a, b, zeros) => {
      const longer = a + '.0'.repeat(zeros);
      assert.equal(compare(a, longer), 0, JSON.stringify(a));
      assert.equal(compare(longer, b), compare(a, b), JSON.stringify([a, b]));
    }),
    { numRuns: volume(20_000) },
  );
});

test('runs of zeros of any length are in order, before lower and higher parts', () => {
  for (let count = 0; count <= 126; count++) {
    const run = '0.'.repeat(count);
    assert.equal(compare(`${run}rc`, `${run}0.rc`), -1, `${count}`);
    assert.equal(compare(`${run}0.rc`, '0'), -1, `${count}`);
    assert.equal(compare('0', `${run}0.1`), -1, `${count}`);
    assert.equal(compare(`${run}0.1`, `${run}1`), -1, `${count}`);
  }
});

test('no key is more than one byte longer than its version', () => {
  const out = new Uint8Array(MAX_KEY_BYTES);
  fc.assert(
    fc.property(odd, (version) => {
      assert.ok(writeKeyOfScheme(WORDPRESS, version, out) <= version.length + 1, JSON.stringify(version));
    }),
    { numRuns: volume(5_000) },
  );
  for (const part of ['1', '1a', '0a', '256.', '0.0.0.0.1.', '0.0.0.0.a.']) {
    const version = part.repeat(256 / part.length);
    assert.ok(writeKeyOfScheme(WORDPRESS, version, out) <= version.length + 1, part);
  }
});

test('a text without a letter a-z or digit is not a version', () => {
  for (const text of ['', ' ', '-', '...', '*', '(#)', 'é', 'β', '😀', '\0']) {
    assert.equal(versionKey('wordpress', text), undefined, JSON.stringify(text));
  }
  for (const text of ['v', '0', 'x', 'é1']) assert.ok(versionKey('wordpress', text), text);
});

test('every line of wordpress.txt holds in both directions', () => {
  assertOrderFixture('wordpress', compare, 50);
});

test('a wordpress key gives the recorded answer for every pair, in both directions', { skip }, () => {
  const lines = gunzipSync(readFileSync(`${DATA}/wordpress-pairs.tsv.gz`))
    .toString('utf8')
    .split('\n');
  let count = 0;
  for (const line of lines) {
    if (line === '') continue;
    const [a, b, sign] = line.split('\t');
    assert.equal(compare(a, b), Number(sign), JSON.stringify([a, b]));
    assert.equal(compare(b, a), 0 - Number(sign), JSON.stringify([b, a]));
    count++;
  }
  assert.equal(count, 60_000);
});

test('a wordpress key gives the answer of PHP itself for fresh pairs', phpOptions, (t) => {
  const dice = new Dice(printedSeed(t));
  const piece = (): string => dice.pick(PIECES);
  const draw = (start: string): string => {
    for (;;) {
      const version = start + Array.from({ length: dice.whole(1, 6) }, piece).join('');
      if (/[a-z0-9]/i.test(version)) return version;
    }
  };
  const pairs = Array.from({ length: FRESH_PAIRS }, (): readonly [string, string] => {
    const start = dice.chance(0.5) ? draw('') : '';
    return [draw(start), draw(start)];
  });
  const answers = askPhp(pairs.map(([a, b]) => padded(a, b)));
  assert.equal(answers.length, FRESH_PAIRS);
  pairs.forEach(([a, b], i) => {
    assert.equal(compare(a, b), answers[i], JSON.stringify([a, b]));
  });
});
