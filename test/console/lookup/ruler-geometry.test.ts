import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Axis, Range } from '../../../src/console/lookup/answers.ts';
import {
  barOf,
  needleAt,
  placeLabels,
  type Scale,
  scaleFor,
  slotMiddle,
  ticksOf,
  tickText,
} from '../../../src/console/lookup/ruler-geometry.ts';

function range(from: number | null, to: number | null, bound: string | null = 'exclusive'): Range {
  return {
    from_version: null,
    to_version: null,
    to_bound: to === null ? null : bound,
    fixed_in: null,
    decides: false,
    excluded_by: null,
    comparison: '',
    axis: 0,
    from_at: from,
    to_at: to,
  };
}

function axis(count: number, below: number | null, exact: boolean): Axis {
  const versions = Array.from({ length: count }, (_, at) => `${at}.0`);
  return { version_scheme: 'semver', versions, below, exact };
}

/** Whether a position, 2 * at + 1 at a version and even between, is within the range. */
function contains({ from_at, to_at, to_bound }: Range, position: number): boolean {
  const low = from_at === null ? 0 : 2 * from_at + 1;
  const high = to_at === null ? Infinity : 2 * to_at + (to_bound === 'exclusive' ? 0 : 1);
  return low <= position && position <= high;
}

/** Every range along `count` versions, also those that are empty. */
function rangesOf(count: number): Range[] {
  const places = [null, ...Array.from({ length: count }, (_, at) => at)];
  return places.flatMap((from) =>
    places.flatMap((to) =>
      ['exclusive', 'inclusive', 'last-affected'].map((bound) => range(from, to, bound)),
    ),
  );
}

test('the needle stands on a bar exactly if the range contains the version', () => {
  for (const [count, room] of [
    [1, 300],
    [4, 900],
    [5, 10],
  ]) {
    const scale = scaleFor(count, room);
    for (let position = 0; position <= 2 * count; position++) {
      const needle = needleAt(scale, axis(count, position >> 1, position % 2 === 1));
      assert.ok(needle !== undefined && needle > 0 && needle < scale.width);
      for (const span of rangesOf(count)) {
        const { left, width } = barOf(scale, span);
        assert.equal(left < needle && needle < left + width, contains(span, position), JSON.stringify(span));
      }
    }
  }
});

test('a version that the scheme does not order has no needle', () => {
  const unordered = { ...axis(2, null, false), exact: null };
  assert.equal(needleAt(scaleFor(2, 100), unordered), undefined);
});

test('slots ascend, lie within the scale, do not overlap, and are as far apart as bars need', () => {
  for (const [count, room] of [
    [1, 1000],
    [30, 1000],
    [700, 1000],
    [700, 254],
  ]) {
    const scale = scaleFor(count, room);
    assert.ok(scale.width >= room);
    assert.ok(scale.gap > 0, `${count} ${room}`);
    assert.ok(count < 100 ? scale.width === room : scale.width > room);
    const middles = Array.from({ length: count }, (_, at) => slotMiddle(scale, at));
    assert.ok(middles[0] > 0 && middles[count - 1] < scale.width);
    for (let at = 1; at < count; at++) assert.ok(middles[at] - middles[at - 1] >= 8.9, `${count} ${at}`);
  }
});

test('bars tell which ends are open and which hold their version', () => {
  const scale = scaleFor(3, 300);
  const ends = (span: Range) => {
    const { isOpenBelow, isOpenAbove, holdsEnd } = barOf(scale, span);
    return [isOpenBelow, isOpenAbove, holdsEnd];
  };
  assert.deepEqual(ends(range(null, 1)), [true, false, false]);
  assert.deepEqual(ends(range(0, 1, 'inclusive')), [false, false, true]);
  assert.deepEqual(ends(range(0, 1, null)), [false, false, true]);
  assert.equal(ends(range(2, null))[1], true);
});

test('labels stay within the width, and those of one row do not overlap', () => {
  const labels = [100, 104, 0, 300, 296, 150].map((x, at) => ({ text: `update to 1.0.${at}`, x }));
  const placed = placeLabels(labels, 300, 7);
  const size = (labels[0].text.length + 1) * 7;
  assert.deepEqual(
    placed.map(({ text, x }) => ({ text, x })),
    labels,
  );
  for (const one of placed) {
    assert.ok(one.left >= 0 && one.left + size <= 300);
    for (const other of placed)
      assert.ok(one === other || one.row !== other.row || Math.abs(one.left - other.left) >= size);
  }
  assert.equal(placed[0].row, 0);
  assert.equal(placeLabels([{ text: 'wider than all of the ruler', x: 5 }], 20, 7)[0].left, 0);
});

function gapsBetween(scale: Scale, versions: readonly string[]): number[] {
  const ticks = ticksOf(scale, versions, 7);
  return ticks.slice(1).map((at, index) => {
    const half = (n: number): number => (tickText(versions[n]).length * 7) / 2;
    return slotMiddle(scale, at) - half(at) - (slotMiddle(scale, ticks[index]) + half(ticks[index]));
  });
}

test('ticks are thinned out until their labels do not overlap', () => {
  for (const count of [1, 2, 9, 40, 700]) {
    const { versions } = axis(count, 0, false);
    const scale = scaleFor(count, 900);
    assert.ok(ticksOf(scale, versions, 7).length >= 1);
    assert.ok(gapsBetween(scale, versions).every((gap) => gap > 0));
    const odd = versions.map((version, at) =>
      at === 1 ? 'a-version-that-is-longer-than-the-others' : version,
    );
    assert.ok(gapsBetween(scale, odd).every((gap) => gap > 0));
  }
  assert.deepEqual(ticksOf(scaleFor(4, 900), axis(4, 0, false).versions, 7), [0, 1, 2, 3]);
  assert.deepEqual(ticksOf(scaleFor(0, 900), [], 7), []);
});
