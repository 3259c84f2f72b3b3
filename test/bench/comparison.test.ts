// The rule by which two servers differ, and the one by which CI fails: what they say of noise, and what they
// must find.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, FEWEST_STARTS, type Pair } from '../../bench/comparison.ts';
import { Dice } from '../../src/generator/dice.ts';

/** Pairs of each start with these ratios, while the machine's speed halves and doubles between the pairs. */
function startsOf(...ratios: readonly (readonly number[])[]): Pair[][] {
  return ratios.map((each) => each.map((ratio, i): Pair => [ratio * 2 ** (i % 3), 2 ** (i % 3)]));
}

/**
 * Two servers of which the first takes `factor` times as long, each process off by up to `process`, each
 * round by `round`.
 */
function noisy(dice: Dice, factor: number, process: number, round: number): Pair[][] {
  const off = (most: number): number => 1 + most * (2 * dice.fraction() - 1);
  return Array.from({ length: FEWEST_STARTS }, () => {
    const [ours, theirs] = [factor * off(process), off(process)];
    return Array.from({ length: 2 }, (): Pair => [ours * off(round), theirs * off(round)]);
  });
}

/** How many of 300 such comparisons say that there is a difference. */
function standOutOf300(make: (dice: Dice) => Pair[][]): number {
  const dice = new Dice(7);
  return Array.from({ length: 300 }, () => compare(make(dice))).filter(({ standsOut }) => standsOut).length;
}

test('the ratio is the median of the starts, and a start is the median of its pairs', () => {
  const { ratio, lowest, highest } = compare(startsOf([1.2, 1.3, 9], [1.1], [1.25, 1.35], [1.4], [1.28]));
  assert.deepEqual(
    [ratio, lowest, highest].map((each) => each.toFixed(2)),
    ['1.30', '1.10', '1.40'],
  );
});

test('a difference stands out when it is larger than the starts are apart', () => {
  assert.equal(compare(startsOf([1.3], [1.28], [1.33], [1.31], [1.36])).standsOut, true);
  assert.equal(compare(startsOf([0.7], [0.72], [0.68], [0.71], [0.66])).standsOut, true);
  assert.equal(compare(startsOf([1.3], [1.1], [1.5], [1.31], [1.36])).standsOut, false);
  assert.equal(compare(startsOf([1.02], [0.98], [1.01], [1], [0.99])).standsOut, false);
  assert.equal(compare(startsOf([1], [1], [1], [1], [1])).standsOut, false);
});

test('one slow round of a start changes nothing, one slow process hides a difference', () => {
  assert.equal(compare(startsOf([1.3, 1.31, 5], [1.28], [1.33], [1.31], [1.36])).standsOut, true);
  assert.equal(compare(startsOf([1.3], [1.28], [1.33], [1.31], [2])).standsOut, false);
});

test('nothing stands out of fewer starts', () => {
  const starts = startsOf([1.5], [1.5], [1.5], [1.5], [1.5]);
  assert.equal(compare(starts.slice(1)).standsOut, false);
  assert.equal(compare(starts).standsOut, true);
});

test('of a build against itself hardly anything stands out, however loud the machine is', () => {
  for (const [process, round] of [
    [0.11, 0.02],
    [0.02, 0.3],
    [0.3, 0.3],
  ]) {
    const count = standOutOf300((dice) => noisy(dice, 1, process, round));
    assert.ok(count < 6, `${count} of 300 with processes off by ${process} and rounds by ${round}`);
  }
});

test('a build that takes 30 % more is found, on a machine that is not too loud', () => {
  assert.ok(standOutOf300((dice) => noisy(dice, 1.3, 0.03, 0.05)) > 290);
  assert.ok(standOutOf300((dice) => noisy(dice, 1.3, 0.05, 0.1)) > 200);
  assert.ok(standOutOf300((dice) => noisy(dice, 1.3, 0.3, 0.3)) < 30);
});
