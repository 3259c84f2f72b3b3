import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, counted, duration, moment } from '../../../src/console/parts/words.ts';

test('numbers are grouped, and nouns agree with them', () => {
  assert.equal(count(1234567), '1,234,567');
  assert.equal(counted(0, 'row'), '0 rows');
  assert.equal(counted(1, 'advisory', 'advisories'), '1 advisory');
  assert.equal(counted(2000, 'advisory', 'advisories'), '2,000 advisories');
});

test('durations are in the largest unit that fits', () => {
  const cases: readonly [seconds: number, words: string][] = [
    [0, '0 seconds'],
    [1, '1 second'],
    [59.9, '59 seconds'],
    [60, '1 minute'],
    [7199, '1 hour'],
    [86_400, '1 day'],
    [1e6, '11 days'],
  ];
  for (const [seconds, words] of cases) assert.equal(duration(seconds), words);
});

test('sizes are in the largest unit, with a decimal where they are small', () => {
  const cases: readonly [size: number, words: string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1.5 * 2 ** 30, '1.5 GiB'],
    [300 * 2 ** 20, '300 MiB'],
    [2 ** 60, '1048576 TiB'],
  ];
  for (const [size, words] of cases) assert.equal(bytes(size), words);
});

test('moments are in the time zone of the reader, and no time is shown as it came', () => {
  const time = new Date(2026, 0, 31, 7, 5);
  assert.equal(moment(time.toISOString()), '2026-01-31 07:05');
  assert.equal(moment('yesterday'), 'yesterday');
});
