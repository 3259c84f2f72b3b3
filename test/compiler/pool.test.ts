import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareUtf8 } from '../../src/compiler/pool.ts';
import { Dice } from '../../src/generator/dice.ts';
import { printedSeed } from '../support/seed.ts';
import { words } from '../support/words.ts';

/** From each range in which UTF-8 and UTF-16 differ in length or order, and its ends. */
const CHARACTERS = ['', ...words('a b \u007f \u0080 ß \u07ff \u0800 € \ud7ff \ue000 \uffff')].concat([
  '\u{10000}',
  '\u{1f600}',
  '\u{1f601}',
  '\u{10ffff}',
]);

test('texts compare like their bytes, whatever planes their characters are from', (t) => {
  const dice = new Dice(printedSeed(t));
  const draw = (): string => Array.from({ length: dice.whole(0, 4) }, () => dice.pick(CHARACTERS)).join('');
  for (let i = 0; i < 20_000; i++) {
    const [a, b] = [draw(), draw()];
    assert.equal(compareUtf8(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)), JSON.stringify([a, b]));
  }
});
