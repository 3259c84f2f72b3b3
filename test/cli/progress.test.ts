import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { decimalPercent, duration, instant, wholeNumber } from '../../src/cli/options.ts';
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

test('progress on a terminal shortens a long label, not the figures', () => {
  const label = `reading ${'folder/'.repeat(20)}all.zip`;
  const { progress, clock, written } = watched({ label, unit: 'bytes', total: 8_000_000 }, { columns: 60 });
  clock.nowMs += 1000;
  progress.advance(2_000_000);
  assert.equal(written[0].length - CLEAR.length, 59);
  assert.match(written[0], /reading folder\/.*… 25 %, 2\.0 MB\/s$/);
});

test('progress on a terminal that does not know its width is not cut short', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'records' }, { columns: 0 });
  clock.nowMs += 1000;
  progress.advance(10);
  assert.deepEqual(written, [`${CLEAR}x 10 records, 10 records/s`]);
});

test('progress says how much time is left, once the rate has settled', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'records', total: 100_000 });
  const leftAfter = (ms: number, amount: number): string | undefined => {
    clock.nowMs += ms;
    progress.advance(amount);
    return /, ([^,]+) left$/.exec(written.at(-1) ?? '')?.[1];
  };
  assert.equal(leftAfter(1999, 10), undefined);
  assert.equal(leftAfter(8001, 990), '17 min'); // 100 a second
  assert.equal(leftAfter(10_000, 0), '33 min');
  assert.equal(leftAfter(80_000, 0), '2 h 45 min');
  assert.equal(leftAfter(0, 0), '2 h 45 min');
  assert.equal(leftAfter(100_000, 89_000), '23 s');
  assert.equal(leftAfter(100_000, 10_000), undefined);
});

test('progress elsewhere is written as one whole line each half minute', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'records', total: 200 }, { isTTY: false });
  for (let second = 0; second <= 100; second++) {
    progress.advance(1);
    clock.nowMs += 1000;
  }
  assert.deepEqual(written, [
    'x 15 %, 1 records/s, 3 min left\n',
    'x 30 %, 1 records/s, 3 min left\n',
    'x 45 %, 1 records/s, 2 min left\n',
  ]);
});

test('progress elsewhere is silent for the first half minute of work, however long it was awaited, and after the end', () => {
  const { progress, clock, written } = watched({ label: 'x', unit: 'y' }, { isTTY: false });
  clock.nowMs += 50_000;
  progress.advance(1);
  clock.nowMs += 29_999;
  progress.advance(1);
  progress.end();
  clock.nowMs += 50_000;
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

test('an option value that is a share is a number of percent, with or without decimals', () => {
  assert.deepEqual(
    ['0', '1', '0.5', '99.999', '100', '100.0'].map(decimalPercent),
    [0, 1, 0.5, 99.999, 100, 100],
  );
  for (const text of ['', '-1', '101', '100.1', '.5', '1.', '1e1', '0,5', '1%', 'NaN']) {
    assert.throws(
      () => decimalPercent(text),
      { message: /expected a number from 0 to 100, such as 1 or 0\.5/ },
      text,
    );
  }
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
