import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from '../../src/compiler/pool.ts';
import { sortByWords, wordOfNumber } from '../../src/compiler/sort-by-words.ts';
import { Dice } from '../../src/generator/dice.ts';
import { printedSeed } from '../support/seed.ts';
import { words } from '../support/words.ts';

/** From each range in which UTF-8 and UTF-16 differ in length or order, and its ends. */
const CHARACTERS = words('a b \0 \u0001 \u007f \u0080 ß \u07ff \u0800 € \ud7ff \ue000 \uffff').concat([
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
]);
/** Of the drawn texts; some are longer than what is sorted by. */
const BEGINNINGS = ['', 'CVE-2026-', 'x'.repeat(28), 'x'.repeat(40)];

function sortedBy(count: number, compare: (a: number, b: number) => number): number[] {
  return Array.from({ length: count }, (_, i) => i).sort((a, b) => compare(a, b) || a - b);
}

test('texts are in the order of their bytes, equal ones as they came', (t) => {
  const dice = new Dice(printedSeed(t));
  for (const count of [0, 1, 23, 24, 5_000]) {
    const texts = Array.from(
      { length: count },
      () =>
        dice.pick(BEGINNINGS) +
        Array.from({ length: dice.whole(0, 6) }, () => dice.pick(CHARACTERS)).join(''),
    );
    const pool = new Pool();
    for (const text of texts) pool.addText(text);
    const order = sortByWords(
      0,
      count,
      (entry, round) => pool.wordOf(entry, round),
      (a, b) => pool.compare(a, b),
    );
    const bytes = texts.map((text) => Buffer.from(text));
    assert.deepEqual(
      [...order],
      sortedBy(count, (a, b) => Buffer.compare(bytes[a], bytes[b])),
    );
  }
});

test('numbers of 53 bits are in their order, from the first entry on', (t) => {
  const dice = new Dice(printedSeed(t));
  const numbers = Array.from({ length: 3_000 }, () =>
    dice.pick([0, 7, 2 ** 32 - 1, 2 ** 32, dice.whole(0, 2 ** 31), Number.MAX_SAFE_INTEGER]),
  );
  const compare = (a: number, b: number): number => numbers[a] - numbers[b];
  const order = sortByWords(100, 3_000, (entry, round) => wordOfNumber(numbers[entry], round), compare);
  assert.deepEqual(
    [...order],
    sortedBy(3_000, compare).filter((entry) => entry >= 100),
  );
});
