// Fixes inside their own advisory: what replaces them, what is counted, and at what cost. The slow twin
// follows each fix on its own and looks at every span at every step.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FixCounts, followFixes, type PlacedSpans } from '../../src/compiler/effective-fixes.ts';
import { Dice } from '../../src/generator/dice.ts';
import { NONE } from '../../src/index/columns.ts';
import type { Span } from '../../src/index/lookup/interval.ts';
import { assertLinear, counted } from '../support/counted.ts';
import { effectiveFix } from '../support/oracles/linear-scan.ts';
import { printedSeed } from '../support/seed.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../support/snapshots/generation.ts';
import { volume } from '../support/volume.ts';

/** The fixes of an advisory's spans as compiled, in ascending order of the spans, and the counts. */
function compiledFixes(
  t: TestContext,
  spans: readonly Span[],
  npm = false,
): { fixes: (string | null)[]; counts: number[] } {
  const advisory = coreAdvisory(1, { spans, ...(npm ? { product: coreProduct('npm', 'a') } : {}) });
  const generation = generationOf(t, [advisory]);
  const { spanFixedIn, fixCounts } = generation.parts.columns;
  const fixes = Array.from(spanFixedIn, (row) => (row === 0xffff_ffff ? null : generation.versionText(row)));
  // These spans are given in ascending order, so the slow rule can be called in the same order.
  assert.deepEqual(
    fixes,
    spans.map((span) => effectiveFix(advisory, span)),
  );
  return { fixes, counts: Array.from(fixCounts) };
}

test('a fix outside every span is kept', (t) => {
  const spans = [coreSpan(null, '1.5', 'exclusive', '1.5'), coreSpan('2.0', '2.4', 'inclusive', '2.4.1')];
  assert.deepEqual(compiledFixes(t, spans), { fixes: ['1.5', '2.4.1'], counts: [0, 0] });
});

test('a fix inside another span is replaced by the fix of that span, across several spans', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'exclusive', '2.0'),
    coreSpan('2.0', '2.5', 'exclusive', '3.0'),
    coreSpan('3.0', '3.5', 'exclusive', '3.5'),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: ['3.5', '3.5', '3.5'], counts: [2, 0] });
});

test('a fix inside its own span, or in a span without a fix, is dropped', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'inclusive', '1.5.0'),
    coreSpan('2.0', '2.5', 'exclusive', '3.1'),
    coreSpan('3.0', null),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: [null, null, null], counts: [0, 2] });
});

test('fixes that lead back to themselves are dropped', (t) => {
  const spans = [
    coreSpan('1.0', '1.5', 'exclusive', '2.1'),
    coreSpan('2.0', '2.5', 'exclusive', '3.1'),
    coreSpan('3.0', '3.5', 'exclusive', '1.1'),
  ];
  assert.deepEqual(compiledFixes(t, spans), { fixes: [null, null, null], counts: [0, 3] });
});

test('of several spans that contain a fix, the one that a lookup would report is followed', (t) => {
  const spans = [
    coreSpan(null, '9.0', 'exclusive', '9.0'),
    coreSpan('1.0', '5.0', 'exclusive', '3.0'),
    coreSpan('3.0', '3.5', 'exclusive', '9.5'),
  ];
  assert.deepEqual(compiledFixes(t, spans).fixes, ['9.0', '9.5', '9.5']);
});

test('a fix that is not a version of its scheme is kept as in the feed', (t) => {
  const spans = [coreSpan('1.0.0', '2.0.0', 'exclusive', 'the next one')];
  assert.deepEqual(compiledFixes(t, spans, true), { fixes: ['the next one'], counts: [0, 0] });
});

/**
 * Spans over positions, and a fix for each: its own position, or NONE. From UNORDERED on a fix is not a
 * version.
 */
interface Placed {
  readonly low: number;
  readonly high: number;
  readonly fix: number;
}

const UNORDERED = 100_000;

/**
 * Requires: spans ascend by low, then by high. `reads` counts what is asked about the spans and the copy of
 * their fixes in which paths are followed.
 */
function followed(spans: readonly Placed[]): { fixes: number[]; counts: FixCounts; reads: number } {
  const first = 2; // of the spans of all advisories
  const others = Array<number>(first).fill(NONE);
  const fixes = Uint32Array.from([...others, ...spans.map(({ fix }) => fix)]);
  let reads = 0;
  const onReads = (count: number): void => {
    reads += count;
  };
  const read = <Value>(value: Value): Value => {
    onReads(1);
    return value;
  };
  Object.defineProperty(fixes, 'slice', {
    value: (from: number, to: number) => counted(Uint32Array.prototype.slice.call(fixes, from, to), onReads),
  });
  const placed: PlacedSpans = {
    first,
    last: fixes.length,
    low: (span) => read(spans[span - first].low),
    high: (span) => read(spans[span - first].high),
    positionOf: (version) => read(version < UNORDERED ? version : undefined),
  };
  const counts = { followed: 0, dropped: 0 };
  followFixes(fixes, placed, counts);
  return { fixes: [...fixes.subarray(first)], counts, reads };
}

function slowFixes(spans: readonly Placed[]): number[] {
  return spans.map(({ fix }) => {
    let end = fix;
    for (let steps = 0; end < UNORDERED; steps++) {
      const holders = spans.filter(({ low, high }) => low <= end && end <= high);
      if (holders.length === 0) return end;
      if (steps > spans.length) return NONE;
      const greatest = holders.filter(({ low }) => low === holders[holders.length - 1].low);
      end = greatest[0].fix;
    }
    return end;
  });
}

test('fixes end where following each of them step by step ends', (t) => {
  const dice = new Dice(printedSeed(t));
  const seen = { followed: 0, dropped: 0, unordered: 0 };
  for (let run = 0; run < volume(20_000); run++) {
    const width = dice.whole(2, 40);
    const fix = (): number => (dice.chance(0.1) ? dice.pick([NONE, UNORDERED]) : dice.whole(0, width));
    const spans = Array.from({ length: dice.whole(1, 12) }, () => {
      const low = dice.whole(0, width);
      return { low, high: dice.chance(0.1) ? width : dice.whole(low, Math.min(width, low + 6)), fix: fix() };
    }).sort((a, b) => a.low - b.low || a.high - b.high);
    const { fixes, counts } = followed(spans);
    assert.deepEqual(fixes, slowFixes(spans), JSON.stringify(spans));
    const changed = fixes.filter((each, i) => each !== spans[i].fix);
    const dropped = changed.filter((each) => each === NONE).length;
    assert.deepEqual(counts, { followed: changed.length - dropped, dropped });
    seen.followed += counts.followed;
    seen.dropped += dropped;
    seen.unordered += changed.filter((each) => each === UNORDERED).length;
  }
  assert.ok(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  );
});

test('a chain of fixes through all spans ends with the last fix', () => {
  const length = 900;
  const spans = Array.from({ length }, (_, i) => ({ low: i, high: i, fix: i + 1 }));
  assert.deepEqual(followed(spans).fixes, Array(length).fill(length));
});

const SHAPES: Readonly<Record<string, (i: number, count: number) => Placed>> = {
  'a chain': (i) => ({ low: i, high: i, fix: i + 1 }),
  'a chain back': (i) => ({ low: i, high: i, fix: Math.max(0, i - 1) }),
  'nested spans with fixes above all': (i, count) => ({ low: i, high: 2 * count - i, fix: 3 * count + i }),
  'nested spans with fixes inside': (i, count) => ({ low: i, high: 2 * count - i, fix: count - i }),
};
for (const [shape, spanAt] of Object.entries(SHAPES)) {
  test(`the fixes of ${shape} cost work that grows with the spans, not with their square`, () => {
    assertLinear(shape, (count) => followed(Array.from({ length: count }, (_, i) => spanAt(i, count))).reads);
  });
}
