import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice, mix, type Quantiles } from '../../src/generator/dice.ts';

test('dice repeat for the same seed and differ for another', () => {
  const rolls = (seed: number): number[] => {
    const dice = new Dice(seed);
    return Array.from({ length: 20 }, () => dice.fraction());
  };
  assert.deepEqual(rolls(1), rolls(1));
  assert.notDeepEqual(rolls(1), rolls(2));
  assert.ok([...rolls(0), ...rolls(2 ** 32 - 1)].every((roll) => roll >= 0 && roll < 1));
});

test('dice are seeded by every part of a mix, in order', () => {
  assert.equal(new Set([mix(1, 2), mix(2, 1), mix(1), mix(1, 2, 0), mix(1, 2 ** 32 + 2)]).size, 5);
});

test('dice give whole numbers in a range, both ends included', () => {
  const dice = new Dice(7);
  const seen = new Set(Array.from({ length: 200 }, () => dice.whole(-1, 2)));
  assert.deepEqual([...seen].sort(), [-1, 0, 1, 2]);
});

test('dice pick early entries of a list more often, but every entry sometimes', () => {
  const dice = new Dice(3);
  const counts = [0, 0, 0, 0, 0];
  for (let i = 0; i < 5000; i++) counts[dice.pickEarly([0, 1, 2, 3, 4])]++;
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => b - a),
  );
  assert.ok(counts[0] > 2 * counts[2] && counts[4] > 0);
});

test('dice draw from a distribution with the right quantiles', () => {
  const quantiles: Quantiles = [
    [0, 1],
    [0.5, 10],
    [1, 1000],
  ];
  const dice = new Dice(5);
  const draws = Array.from({ length: 5000 }, () => dice.draw(quantiles)).sort((a, b) => a - b);
  assert.ok(draws[0] >= 1 && draws[4999] <= 1000);
  assert.ok(Math.abs(draws[2500] - 10) < 1.5, `median ${draws[2500]}`);
});
