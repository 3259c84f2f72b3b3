import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEASURES } from '../../../../src/dialects/operations/document.ts';
import { COLUMNS, History, type Point } from '../../../../src/serve/operations/figures/history.ts';

interface Series {
  readonly at: readonly number[];
  readonly cpu: readonly (readonly (number | null)[])[];
  readonly [column: string]: readonly unknown[];
}

interface Shown {
  readonly now: number;
  readonly seconds: Series;
  readonly minutes: Series;
}

function point(at: number, value: number | undefined, cpu: Point['cpu'] = [0.5, undefined]): Point {
  const values = Object.fromEntries(MEASURES.map((name) => [name, value])) as Point['values'];
  return { at, values, cpu };
}

const shown = (history: History, since = 0): Shown => JSON.parse(history.render(since) ?? 'null') as Shown;

test('there is no document before the first second', () => {
  assert.equal(new History(2).render(0), undefined);
});

test('every column has a value for each time, null where nothing was measured, and one column for each worker', () => {
  const history = new History(2);
  history.addSecond(point(100, 1.23456));
  history.addSecond(point(101, undefined));
  const { now, seconds, minutes } = shown(history);
  assert.equal(now, 101);
  assert.deepEqual(seconds.at, [100, 101]);
  for (const [name, { digits }] of Object.entries(COLUMNS))
    assert.deepEqual(seconds[name], [Number((1.23456).toFixed(digits)), null], name);
  assert.deepEqual(seconds.cpu, [
    [0.5, 0.5],
    [null, null],
  ]);
  assert.deepEqual([minutes.at, minutes.requests, minutes.cpu], [[], [], [[], []]]);
});

test('the last 300 seconds and 60 minutes are kept, the oldest first', () => {
  const history = new History(2);
  for (let at = 1; at <= 750; at++) history.addSecond(point(at, at));
  for (let at = 60; at <= 60 * 130; at += 60) history.addMinute(point(at, at));
  const { now, seconds, minutes } = shown(history);
  assert.equal(now, 750);
  assert.deepEqual(
    seconds.at,
    Array.from({ length: 300 }, (_, i) => 451 + i),
  );
  assert.deepEqual(seconds.requests, seconds.at);
  assert.deepEqual(
    minutes.at,
    Array.from({ length: 60 }, (_, i) => 60 * (71 + i)),
  );
});

test('`since` leaves out what is older, of seconds and of minutes', () => {
  const history = new History(2);
  for (const at of [58, 59, 60, 61]) history.addSecond(point(at, at));
  history.addMinute(point(0, 1));
  history.addMinute(point(60, 1));
  const { seconds, minutes } = shown(history, 60);
  assert.deepEqual([seconds.at, minutes.at], [[60, 61], [60]]);
  assert.deepEqual(shown(history, 1_000).seconds.at, []);
});

test('a cleared history is empty and goes on', () => {
  const history = new History(2);
  history.addSecond(point(100, 1));
  history.clear();
  assert.equal(history.render(0), undefined);
  history.addSecond(point(5, 1));
  assert.deepEqual(shown(history).seconds.at, [5]);
});
