import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSince, withAnswer } from '../../../src/console/operate/history.ts';
import { type HistoryDocument, MEASURES, type Series } from '../../../src/dialects/operations/document.ts';

/** Points whose every figure is their time plus `plus`. */
function series(at: readonly number[], workers = 1, plus = 0): Series {
  const values = at.map((time) => time + plus);
  return {
    ...(Object.fromEntries(MEASURES.map((name) => [name, values])) as unknown as Series),
    at,
    cpu: Array.from({ length: workers }, () => values),
  };
}

function range(from: number, to: number, step = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

function answer(now: number, seconds: Series, minutes: Series = series([])): HistoryDocument {
  return { now, seconds, minutes };
}

test('answers put together are one row of points, each time once, the newer answer first in right', () => {
  const before = answer(1_010, series(range(1_000, 1_010)));
  const { seconds } = withAnswer(before, answer(1_013, series(range(1_009, 1_013), 1, 0.5)));
  assert.deepEqual(seconds.at, range(1_000, 1_013));
  assert.deepEqual(seconds.requests, [...range(1_000, 1_008), ...range(1_009, 1_013).map((at) => at + 0.5)]);
  assert.deepEqual(seconds.cpu, [seconds.requests]);
  for (const name of MEASURES) assert.equal(seconds[name].length, seconds.at.length);
});

test('points older than five minutes or an hour are dropped', () => {
  const before = answer(10_000, series(range(9_701, 10_000)), series(range(6_420, 9_960, 60)));
  const { seconds, minutes } = withAnswer(
    before,
    answer(10_100, series(range(10_001, 10_100)), series([10_020])),
  );
  assert.deepEqual(seconds.at, range(9_801, 10_100));
  assert.deepEqual(minutes.at, range(6_540, 10_020, 60));
});

test('an answer without points leaves what is known, but for what is too old', () => {
  const before = answer(1_300, series(range(1_001, 1_300)));
  assert.deepEqual(withAnswer(before, answer(1_302, series([]))).seconds.at, range(1_003, 1_300));
  assert.deepEqual(withAnswer(before, answer(9_000, series([]))).seconds.at, []);
});

test('a long absence leaves only the new points', () => {
  const before = answer(1_300, series(range(1_001, 1_300)));
  assert.deepEqual(
    withAnswer(before, answer(9_000, series(range(8_701, 9_000)))).seconds.at,
    range(8_701, 9_000),
  );
});

test('a clock that was set back begins a new history', () => {
  const before = answer(1_300, series(range(1_001, 1_300)));
  const after = answer(700, series(range(690, 700)));
  assert.equal(withAnswer(before, after), after);
});

test('a worker that was not there before, or is no longer, has no figures there', () => {
  const one = answer(2, series([1, 2], 1));
  const two = answer(4, series([3, 4], 2));
  assert.deepEqual(withAnswer(one, two).seconds.cpu, [
    [1, 2, 3, 4],
    [null, null, 3, 4],
  ]);
  const later = { ...one, now: 6, seconds: series([5, 6], 1) };
  assert.deepEqual(withAnswer(two, later).seconds.cpu, [
    [3, 4, 5, 6],
    [3, 4, null, null],
  ]);
});

test('the next request asks from the last minute on, whose successor is still being made', () => {
  assert.equal(nextSince(undefined), undefined);
  assert.equal(nextSince(answer(100, series(range(50, 100)))), undefined);
  assert.equal(nextSince(answer(185, series(range(50, 185)), series([60, 120]))), 120);
});

test('polling with `since` shows the same points as asking for all', () => {
  /** What the server would answer. */
  const at = (now: number, since = 0): HistoryDocument => {
    const seconds = range(Math.max(since, now - 299, 1_000), now);
    const lastMinute = now - (now % 60) - 60;
    const minutes = range(1_020, lastMinute, 60).filter((time) => time >= since && time > lastMinute - 3_600);
    return answer(now, series(seconds), series(minutes));
  };
  let seen: HistoryDocument | undefined;
  for (let now = 1_000; now < 6_000; now += 7) {
    seen = withAnswer(seen, at(now, nextSince(seen)));
    assert.deepEqual(seen.seconds.at, at(now).seconds.at, `seconds at ${now}`);
    const shown = at(now).minutes.at.filter((time) => time > now - 3_600);
    assert.deepEqual(
      seen.minutes.at.filter((time) => time > now - 3_600),
      shown,
      `minutes at ${now}`,
    );
  }
});
