import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { FeedSpan } from '../../../src/importers/record/feed-schema.ts';
import { type ReadSpans, readSpans } from '../../../src/importers/wordfence/spans.ts';
import type { FeedJson } from '../../support/feeds/advisories.ts';
import { type Interval, interval, inventedWordfence } from '../../support/feeds/wordfence-feed.ts';
import { compareWordpress } from '../../support/oracles/php-order.ts';
import { pluck } from '../../support/pluck.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

const RECORDS = volume(50_000);

const SCHEME = 'wordpress';

function read(intervals: readonly string[], patched: readonly string[] = []): ReadSpans {
  const affected = Object.fromEntries(intervals.map((text) => [text, interval(text)]));
  return readSpans(affected, patched, 'affected_versions', SCHEME);
}

/** Spans as text: `from to bound fix`. */
function spansOf(intervals: readonly string[], patched: readonly string[] = []): string[] {
  return read(intervals, patched).spans.map(
    ({ from_version, to_version, to_bound, fixed_in }) =>
      `${from_version} ${to_version} ${to_bound} ${fixed_in}`,
  );
}

/** Whether the version is affected, by the flags of the feed alone. */
function isAffected(affected: readonly Interval[], version: string): boolean {
  return affected.some(({ from_version, from_inclusive, to_version, to_inclusive }) => {
    const above = from_version === '*' ? 1 : compareWordpress(version, from_version);
    const below = to_version === '*' ? -1 : compareWordpress(version, to_version);
    return (above > 0 || (above === 0 && from_inclusive)) && (below < 0 || (below === 0 && to_inclusive));
  });
}

/** The same of spans, by the words of the feed format. */
function isInSpans(spans: readonly FeedSpan[], version: string): boolean {
  return spans.some(({ from_version, to_version, to_bound }) => {
    if (from_version !== null && compareWordpress(version, from_version) < 0) return false;
    if (to_version === null) return true;
    const order = compareWordpress(version, to_version);
    return to_bound === 'exclusive' ? order < 0 : order <= 0;
  });
}

test('the spans of affected versions begin and end where the flags say', () => {
  assert.deepEqual(spansOf(['[*, 1.5]']), ['null 1.5 inclusive null']);
  assert.deepEqual(spansOf(['[*, 1.5)']), ['null 1.5 exclusive null']);
  assert.deepEqual(spansOf(['[1.0, *]']), ['1.0 null null null']);
  assert.deepEqual(spansOf(['[*, *]']), ['null null null null']);
  assert.deepEqual(spansOf(['(*, *)']), ['null null null null']);
  assert.deepEqual(spansOf(['[1.0, 1.0]']), ['1.0 1.0 inclusive null']);
  assert.deepEqual(spansOf(['[1.0, 1.2]', '[2.0, 2.1)']), [
    '1.0 1.2 inclusive null',
    '2.0 2.1 exclusive null',
  ]);
});

test('a span includes a first version that the flag excludes, with a warning: too much rather than too little', () => {
  const { spans, warnings, bad } = read(['(1.0, 2.0]']);
  assert.deepEqual(spans, [
    { from_version: '1.0', to_version: '2.0', to_bound: 'inclusive', fixed_in: null },
  ]);
  assert.deepEqual(bad, []);
  assert.deepEqual(warnings, [
    'affected_versions["(1.0, 2.0]"]: it begins after 1.0, but a span includes its first version; ' +
      '1.0 is reported as affected too.',
  ]);
});

test('a missing flag of a span means inclusive', () => {
  const { spans } = readSpans({ x: { from_version: '1', to_version: '2' } }, [], 'a', SCHEME);
  assert.deepEqual(spans, [{ from_version: '1', to_version: '2', to_bound: 'inclusive', fixed_in: null }]);
});

test('the spans of affected versions agree with the flags on 50,000 random records', (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed + 1);
  let records = 0;
  let affected = 0;
  let clean = 0;
  let excluded = 0;
  for (const record of inventedWordfence(RECORDS, seed)) {
    records++;
    for (const entry of record.software as readonly FeedJson[]) {
      const ranges = entry.affected_versions as Readonly<Record<string, Interval>>;
      const intervals = Object.values(ranges);
      const { spans, bad, warnings } = readSpans(ranges, [], 'affected_versions', SCHEME);
      assert.deepEqual(bad, []);
      assert.equal(spans.length, intervals.length);
      const ends = intervals.flatMap(({ from_version, to_version }) => [from_version, to_version]);
      const near = dice.pick(ends.filter((end) => end !== '*').concat('1.0'));
      const openings = intervals.filter((one) => one.from_version !== '*' && !one.from_inclusive);
      assert.equal(warnings.length, openings.length);
      const other = dice.pick([`${near}.1`, `${near}-beta`, `${dice.whole(0, 9)}.${dice.whole(0, 20)}`]);
      for (const version of [near, other]) {
        const isOpening = openings.some((one) => compareWordpress(one.from_version, version) === 0);
        const expected = isAffected(intervals, version);
        if (expected) affected++;
        else clean++;
        if (isOpening && !expected) excluded++;
        assert.equal(
          isInSpans(spans, version),
          expected || isOpening,
          `${version} in ${JSON.stringify(intervals)}`,
        );
      }
    }
  }
  assert.equal(records, RECORDS);
  assert.ok(
    affected > RECORDS * 0.4 && clean > RECORDS * 0.4 && excluded > RECORDS / 500,
    `${affected}, ${clean}, ${excluded}`,
  );
});

test('the fix of a span is the lowest patched version above its end', () => {
  assert.deepEqual(spansOf(['[*, 1.5]', '[2.0, 2.3]'], ['2.3.1', '1.5.1']), [
    'null 1.5 inclusive 1.5.1',
    '2.0 2.3 inclusive 2.3.1',
  ]);
  assert.deepEqual(spansOf(['[*, 1.5]'], ['3.0', '2.0']), ['null 1.5 inclusive 2.0']);
});

test('the fix of a span may be an exclusive end itself, but not an inclusive one', () => {
  assert.deepEqual(spansOf(['[*, 1.5)'], ['1.5']), ['null 1.5 exclusive 1.5']);
  assert.deepEqual(spansOf(['[*, 1.5]'], ['1.5', '1.5.0']), ['null 1.5 inclusive null']);
});

test('the fix of a span is not inside another span', () => {
  assert.deepEqual(spansOf(['[*, 1.5]', '[1.6, 1.8]'], ['1.7', '1.9']), [
    'null 1.5 inclusive 1.9',
    '1.6 1.8 inclusive 1.9',
  ]);
});

test('the fix of a span is missing where nothing above the span is patched', () => {
  assert.deepEqual(spansOf(['[2.0, 2.5]', '[*, *]'], ['1.9']), [
    '2.0 2.5 inclusive null',
    'null null null null',
  ]);
  assert.deepEqual(spansOf(['[2.0, 2.5]'], ['1.9']), ['2.0 2.5 inclusive null']);
});

test('the fix of a span is not a text without letters and digits, which is a warning', () => {
  const { spans, warnings } = read(['[*, 1.5]'], ['-', '1.6']);
  assert.equal(spans[0].fixed_in, '1.6');
  assert.deepEqual(warnings, ['patched version "-" is not a version; it was left out.']);
});

function problemsOf(value: unknown): string[] {
  const { spans, bad } = readSpans({ bad: value, good: interval('[*, 1.5]') }, ['1.6'], 'av', SCHEME);
  assert.deepEqual(spans, [
    { from_version: null, to_version: '1.5', to_bound: 'inclusive', fixed_in: '1.6' },
  ]);
  return bad.map(({ field, message }) => `${field}: ${message}`);
}

test('a bad span is left out, and those beside it stay', () => {
  assert.deepEqual(problemsOf('1.0 - 2.0'), ['av["bad"]: must be an object (got "1.0 - 2.0")']);
  assert.deepEqual(problemsOf(interval('[2.0, 1.0]')), [
    'av["bad"]: the span is empty (from_version 2.0 is above to_version 1.0)',
  ]);
  assert.deepEqual(problemsOf(interval('[2.0, 2.0)')), [
    'av["bad"]: the span is empty (from_version 2.0 is not below the exclusive to_version 2.0)',
  ]);
  assert.deepEqual(problemsOf(interval('(2.0, 2]')), [
    'av["bad"]: the span is empty (from_version 2.0 is its only version, and it is excluded)',
  ]);
  assert.deepEqual(problemsOf({ from: '*', to_version: '1' }), ['av["bad"].from_version: is required']);
  assert.deepEqual(problemsOf({ from_version: null, to_version: 3 }), [
    'av["bad"].from_version: must be a string (got null)',
    'av["bad"].to_version: must be a string (got 3)',
  ]);
  assert.deepEqual(problemsOf({ ...interval('[1, 2]'), to_inclusive: 'yes' }), [
    'av["bad"].to_inclusive: must be true or false (got "yes")',
  ]);
  assert.match(problemsOf(interval('[1.0, <= 2.0]'))[0], /is an expression, not a version/);
  assert.match(problemsOf(interval('[1.0, -]'))[0], /"-" is not a wordpress version/);
  assert.match(problemsOf(interval(`[1.0, ${'1'.repeat(300)}]`))[0], /is longer than 256 bytes/);
});

test('ten thousands of spans each get their fix', () => {
  const count = 20_000;
  const affected = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`span ${i}`, interval(`[${i}.0, ${i}.5]`)]),
  );
  const patched = Array.from({ length: count }, (_, i) => `${i}.6`);
  const { spans, bad, warnings } = readSpans(affected, patched.toReversed(), 'affected_versions', SCHEME);
  assert.deepEqual([bad, warnings], [[], []]);
  assert.deepEqual(pluck(spans, 'fixed_in'), patched);
});
