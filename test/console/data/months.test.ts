import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gistOf, monthsUntil, monthTitle, tickPlaces, totalOf } from '../../../src/console/data/months.ts';
import type { MonthCounts } from '../../../src/console/data/statistics.ts';
import { pluck } from '../../support/pluck.ts';

function month(name: string, counts: Partial<MonthCounts> = {}): MonthCounts {
  return { critical: 0, high: 0, medium: 0, low: 0, none: 0, unknown: 0, ...counts, month: name };
}

test('months without advisories are between the others, also across a year', () => {
  const months = monthsUntil([month('2025-11', { high: 2 }), month('2026-02', { low: 1 })], '2026-02');
  assert.deepEqual(pluck(months, 'month'), ['2025-11', '2025-12', '2026-01', '2026-02']);
  assert.deepEqual(months.map(totalOf), [2, 0, 0, 1]);
});

test('the last month is that of the snapshot, or a later one with advisories', () => {
  const counts = [month('2025-12', { high: 1 })];
  assert.equal(monthsUntil(counts, '2026-02').at(-1)?.month, '2026-02');
  assert.equal(monthsUntil(counts, '2024-02').at(-1)?.month, '2025-12');
  assert.deepEqual(monthsUntil([], '2026-02'), []);
});

test('at most so many months are kept, the last ones', () => {
  const counts = [month('2001-01', { high: 1 }), month('2026-01', { high: 3 })];
  const recent = monthsUntil(counts, '2026-01', 24);
  assert.equal(recent.length, 24);
  assert.equal(recent[0].month, '2024-02');
  assert.equal(monthsUntil(counts, '2026-01').length, 25 * 12 + 1);
  assert.equal(monthsUntil(counts.slice(1), '2026-01', 24).length, 1);
});

test('labels are at even distances, and of Januaries where they are years apart', () => {
  const months = monthsUntil([month('2001-03', { high: 1 })], '2026-04');
  for (const most of [1, 2, 5, 12, 40]) {
    const places = tickPlaces(months, most);
    assert.ok(places.length >= 1 && places.length <= most + 1, `${places.length} for ${most}`);
    assert.equal(new Set(places.slice(1).map((place, i) => place - places[i])).size <= 1, true);
    if (most <= 12) assert.ok(places.every((place) => months[place].month.endsWith('-01')));
  }
  assert.deepEqual(tickPlaces(months.slice(0, 3), 5), [0, 1, 2]);
  assert.deepEqual(tickPlaces([], 5), []);
});

test('the chart is told in a sentence', () => {
  assert.equal(
    gistOf([month('2026-01', { high: 1_200, unknown: 3 }), month('2026-02', { critical: 1 })]),
    '1,204 advisories from Jan 2026 to Feb 2026: 1 critical, 1,200 high, 3 not rated. Most in one month: 1,203, Jan 2026.',
  );
  assert.equal(gistOf([]), 'There are no advisories.');
  assert.equal(monthTitle('1999-12'), 'Dec 1999');
});
