import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../../src/generator/dice.ts';
import { LATENCY_BOUNDS } from '../../../../src/serve/counters.ts';
import { percentileMs } from '../../../../src/serve/operations/figures/percentile.ts';
import { printedSeed } from '../../../support/seed.ts';

const BOUNDS = [0.001, 0.002, 0.01];

test('without a request there is no percentile', () => {
  assert.equal(percentileMs([0, 0, 0, 0], BOUNDS, 0.5), undefined);
});

test('within a bucket, durations are spread evenly', () => {
  assert.equal(percentileMs([10, 0, 0, 0], BOUNDS, 0.5), 0.5);
  assert.equal(percentileMs([0, 10, 0, 0], BOUNDS, 0.5), 1.5);
  assert.equal(percentileMs([5, 0, 5, 0], BOUNDS, 0.5), 1);
  assert.equal(percentileMs([5, 0, 5, 0], BOUNDS, 0.75), 6);
  assert.equal(percentileMs([0, 0, 4, 0], BOUNDS, 1), 10);
});

test('longer than every bound counts as the last one', () => {
  assert.equal(percentileMs([0, 0, 0, 7], BOUNDS, 0.99), 10);
  assert.equal(percentileMs([99, 0, 0, 1], BOUNDS, 0.5)?.toFixed(3), '0.505');
});

test('a percentile is in the bucket of the exact one, from a sorted list', (t) => {
  const dice = new Dice(printedSeed(t));
  const random = (): number => dice.fraction();
  for (let run = 0; run < 200; run++) {
    const durations = Array.from(
      { length: 1 + Math.floor(random() * 300) },
      () => 10 ** (-5.5 + 5.4 * random()),
    );
    const counts = new Array<number>(LATENCY_BOUNDS.length + 1).fill(0);
    const bucketOf = (seconds: number): number => {
      const found = LATENCY_BOUNDS.findIndex((bound) => seconds <= bound);
      return found < 0 ? LATENCY_BOUNDS.length : found;
    };
    for (const seconds of durations) counts[bucketOf(seconds)]++;
    const sorted = durations.toSorted((a, b) => a - b);
    for (const q of [0.5, 0.9, 0.99, 1]) {
      const exact = sorted[Math.ceil(q * sorted.length) - 1];
      const estimate = (percentileMs(counts, LATENCY_BOUNDS, q) ?? Number.NaN) / 1000;
      const bucket = bucketOf(exact);
      const lower = bucket === 0 ? 0 : LATENCY_BOUNDS[bucket - 1];
      const upper = LATENCY_BOUNDS[Math.min(bucket, LATENCY_BOUNDS.length - 1)];
      assert.ok(estimate >= lower - 1e-12 && estimate <= upper + 1e-12, `${q} of ${durations}: ${estimate}`);
    }
  }
});
