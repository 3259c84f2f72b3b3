import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { duration, instant, wholeNumber } from '../../src/cli/options.ts';
import { type ProgressPlan, showProgress } from '../../src/cli/progress.ts';

const CLEAR = '\r\u001b[K';

/** A progress line on a fake terminal with a fake clock. */
function watched(plan: ProgressPlan, { isTTY = true, columns = 80 } = {}) {
  const written: string[] = [];
  const clock = { nowMs: 1000 };
  const output = { isTTY, columns, write: (text: string) => written.push(text) };
  return { progress: showProgress(plan, output, () => clock.nowMs), clock, written };
}

test('progress on a terminal shows the percentage and the rate if the total is known', () => {
  const { progress, clock, written } = watched({ label: 'generating', unit: 'advisories', total: 10_000 });
  clock.nowMs += 500;
  progress.advance(2_599);
  assert.deepEqual(written, [`${CLEAR}generating 25 %, 5,198 advisories/s`]);
});

test('progress on a terminal shows the count if the total is unknown', () => {
  const { progress, clock, written } = watched({ label: 'reading', unit: 'lines' });
  clock.nowMs += 1000;
  progress.advance(1_234);
  assert.deepEqual(written, [`${CLEAR}reading 1,234 lines, 1,234 lines/s`]);
});

test('progress on a terminal shows bytes in MB, and never more than 100 percent', () => {
  const { progress, clock, written } = watched({ label: 'reading', unit: 'bytes', total: 2_000_000 });
  clock.nowMs += 1000;
  progress.advance(2_500_000);
  assert.deepEqual(written, [`${CLEAR}reading 100 %, 2.5 MB/s`]);
});

test('progress on a terminal is written at most ten times a second', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'y' });
  for (let ms = 0; ms < 1000; ms++) {
    clock.nowMs++;
    progress.advance(1);
  }
  assert.equal(written.length, 10);
});

test('progress on a terminal clears its line at the end and is silent afterwards', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'y' });
  clock.nowMs += 200;
  progress.advance(1);
  progress.end();
  progress.end();
  clock.nowMs += 200;
  progress.advance(1);
  assert.equal(written.length, 2);
  assert.equal(written[1], CLEAR);
});

test('progress on a terminal writes nothing for work that is done quickly', () => {
  const { progress, written } = watched({ label: 'x', unit: 'y' });
  progress.advance(1);
  progress.end();
  assert.deepEqual(written, []);
});

test('progress on a terminal stays on one line on a narrow terminal', () => {
  const { progress, clock, written } = watched({ label: 'x'.repeat(50), unit: 'y' }, { columns: 20 });
  clock.nowMs += 200;
  progress.advance(1);
  assert.equal(written[0].length - CLEAR.length, 19);
});

test('progress elsewhere is written as one whole line a second', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'records' }, { isTTY: false });
  for (let ms = 0; ms <= 3500; ms += 10) {
    progress.advance(1);
    clock.nowMs += 10;
  }
  assert.deepEqual(written, [
    'x 101 records, 101 records/s\n',
    'x 201 records, 101 records/s\n',
    'x 301 records, 100 records/s\n',
  ]);
});

test('progress elsewhere is silent for the first second of work, however long it was awaited, and after the end', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'y' }, { isTTY: false });
  clock.nowMs += 5000;
  progress.advance(1);
  clock.nowMs += 999;
  progress.advance(1);
  progress.end();
  clock.nowMs += 5000;
  progress.advance(1);
  assert.deepEqual(written, []);
});

test('an option value that is a whole number is in its range, ends included', () => {
  const port = wholeNumber({ min: 0, max: 65_535 });
  assert.deepEqual(['0', '8080', '65535', '007'].map(port), [0, 8080, 65_535, 7]);
  for (const text of ['', '-1', '65536', '1.5', '1e3', ' 1', '0x10', '+1', '9'.repeat(30), 'NaN']) {
    assert.throws(() => port(text), InvalidArgumentError, text);
  }
  assert.equal(wholeNumber({ min: -5, max: 5 })('-3'), -3);
});

test('an option value that is an instant is an RFC 3339 date-time, in epoch seconds', () => {
  assert.equal(instant('2026-04-21T08:38:34+00:00'), 1_776_760_714);
  for (const text of ['2026-04-21', 'now', '2026-02-30T00:00:00Z', '1776760714']) {
    assert.throws(
      () => instant(text),
      { message: /^Got ".+", expected an RFC 3339 date-time such as / },
      text,
    );
  }
});

test('an option value that is a duration has a unit and is more than zero, in milliseconds', () => {
  assert.deepEqual(['90s', '15m', '36h', '2d'].map(duration), [90_000, 900_000, 129_600_000, 172_800_000]);
  for (const text of ['', '90', 's', '0s', '1.5h', '-1s', '1 h', '2w', '999999999d', '15M']) {
    assert.throws(() => duration(text), { message: /expected a positive whole number with a unit/ }, text);
  }
});
