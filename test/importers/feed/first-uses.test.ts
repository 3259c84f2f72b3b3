import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { FirstUses } from '../../../src/importers/feed/first-uses.ts';
import { printedSeed } from '../../support/seed.ts';

test('numbers are found with their places, others are not, as with a Map', (t) => {
  const dice = new Dice(printedSeed(t));
  const uses = new FirstUses();
  const twin = new Map<number, number>();
  const edges = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1, Number.MAX_SAFE_INTEGER];
  const numbers = [
    ...edges,
    ...Array.from({ length: 100_000 }, (_, i) => 1_000 + i), // what ids are like
    ...Array.from({ length: 100_000 }, () => dice.whole(0, 2 ** 32) * 2 ** 16 + dice.whole(0, 2 ** 16)), // and PSIDs
  ];
  numbers.forEach((number, i) => {
    assert.equal(uses.find(number), twin.get(number));
    if (twin.has(number)) return;
    uses.add(number, i * 2 ** 33);
    twin.set(number, i * 2 ** 33);
  });
  for (const [number, place] of twin) assert.equal(uses.find(number), place);
});
