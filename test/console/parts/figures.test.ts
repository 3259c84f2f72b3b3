import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clock, compact, milliseconds, percent } from '../../../src/console/parts/figures.ts';
import { words } from '../../support/words.ts';

test('large numbers are written in three significant digits', () => {
  const written = [0, 7, 999, 1_234, 56_789, 1_234_567].map(compact);
  assert.deepEqual(written, ['0', '7', '999', '1.23K', '56.8K', '1.23M']);
});

test('shares have a decimal only where it counts', () => {
  assert.deepEqual([0, 0.001, 0.0667, 0.5, 0.567, 1].map(percent), words('0% 0.1% 6.7% 50% 57% 100%'));
});

test('durations change to seconds at a thousand milliseconds', () => {
  const written = [0, 0.1234, 1.5, 12.34, 123.4, 999, 1_000, 1_234].map(milliseconds);
  assert.deepEqual(written, ['0 ms', '0.12 ms', '1.5 ms', '12.3 ms', '123 ms', '999 ms', '1 s', '1.23 s']);
});

test('a time of day has two digits in each part', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime() / 1_000;
  assert.equal(clock(at), '03:04');
  assert.equal(clock(at, true), '03:04:05');
});
