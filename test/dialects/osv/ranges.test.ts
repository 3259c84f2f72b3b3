// Spans as ranges of events: by example, and random ones evaluated by the text of the schema, by the
// importer, and with the events of each range in any order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OsvEvent, rangesOf } from '../../../src/dialects/osv/ranges.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { spansOfEvents } from '../../../src/importers/osv/events.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { isEmptySpan } from '../../../src/index/lookup/interval.ts';
import type { VersionScheme } from '../../../src/index/versions/version-key.ts';
import { isVulnerableByText, OSV_POOLS, type OsvAffectedJson } from '../../support/feeds/osv.ts';
import { compare, holds } from '../../support/oracles/linear-scan.ts';
import { printedSeed } from '../../support/seed.ts';
import { coreSpan } from '../../support/snapshots/generation.ts';

/** Ranges as lines such as `introduced 0, fixed 1.5.0`. */
function lines(spans: readonly Span[], scheme: VersionScheme = 'semver'): string[] {
  return rangesOf(spans, scheme).ranges.map((events) => events.map(lineOf).join(', '));
}

const lineOf = (event: OsvEvent): string => Object.entries(event).flat().join(' ');

test('an exclusive bound is fixed, an inclusive one last_affected', () => {
  assert.deepEqual(lines([coreSpan(null, '1.5.0', 'exclusive')]), ['introduced 0, fixed 1.5.0']);
  assert.deepEqual(lines([coreSpan('1.0.0', '1.5.0', 'inclusive')]), [
    'introduced 1.0.0, last_affected 1.5.0',
  ]);
  assert.deepEqual(lines([coreSpan('1.0.0', '1.5.0', 'last-affected')]), [
    'introduced 1.0.0, last_affected 1.5.0',
  ]);
  assert.deepEqual(lines([coreSpan('1.0.0', '1.5.0', null)]), ['introduced 1.0.0, last_affected 1.5.0']);
  assert.deepEqual(lines([coreSpan('1.0.0', '1.0.0', 'inclusive')]), [
    'introduced 1.0.0, last_affected 1.0.0',
  ]);
});

test('a span without bounds is all versions', () => {
  assert.deepEqual(lines([coreSpan(null, null)]), ['introduced 0']);
  assert.deepEqual(lines([coreSpan('2.0.0', null)]), ['introduced 2.0.0']);
});

test('versions of npm are written in full, as semver', () => {
  assert.deepEqual(lines([coreSpan('v1.2', '2.0.0beta', 'exclusive')]), [
    'introduced 1.2.0, fixed 2.0.0-beta',
  ]);
});

test('the version 0 is written so that it does not mean "below all versions"', () => {
  assert.deepEqual(lines([coreSpan('0', '1', 'exclusive')], 'semver'), ['introduced 0, fixed 1.0.0']); // there it does
  for (const scheme of ['wordpress', 'decimal'] as const) {
    const [line] = lines([coreSpan('0', '1', 'exclusive')], scheme);
    const introduced = /introduced (\S+),/.exec(line)?.[1] ?? '';
    assert.notEqual(introduced, '0', scheme);
    assert.equal(compare(scheme, introduced, '0'), 0, scheme);
  }
});

test('disjoint spans ascend in one range, unless they end in different ways', () => {
  assert.deepEqual(
    lines([
      coreSpan('3.0.0', '3.5.0', 'exclusive'),
      coreSpan(null, '1.5.0', 'exclusive'),
      coreSpan('2.0.0', '2.5.0', 'exclusive'),
      coreSpan('5.0.0', null),
    ]),
    [
      'introduced 0, fixed 1.5.0, introduced 2.0.0, fixed 2.5.0, introduced 3.0.0, fixed 3.5.0, introduced 5.0.0',
    ],
  );
  assert.deepEqual(
    lines([
      coreSpan(null, '1.5.0', 'exclusive'),
      coreSpan('2.0.0', '2.5.0'),
      coreSpan('3.0.0', '3.5.0', 'exclusive'),
    ]),
    ['introduced 0, fixed 1.5.0, introduced 3.0.0, fixed 3.5.0', 'introduced 2.0.0, last_affected 2.5.0'],
  );
});

test('spans that overlap or touch are in ranges of their own', () => {
  assert.deepEqual(
    lines([coreSpan('1.0.0', '2.0.0', 'exclusive'), coreSpan('1.5.0', '3.0.0', 'exclusive')]),
    ['introduced 1.0.0, fixed 2.0.0', 'introduced 1.5.0, fixed 3.0.0'],
  );
  assert.deepEqual(
    lines([coreSpan('1.0.0', '2.0.0', 'exclusive'), coreSpan('2.0.0', '3.0.0', 'exclusive')]),
    ['introduced 1.0.0, fixed 2.0.0', 'introduced 2.0.0, fixed 3.0.0'],
  );
});

test('of many spans that overlap, only a few ranges are looked at for each', () => {
  const overlapping = Array.from({ length: 100 }, (_, i) => coreSpan(`1.0.${i}`, `2.0.${i}`, 'exclusive'));
  const later = Array.from({ length: 100 }, (_, i) => coreSpan(`3.0.${i}`, `4.0.${i}`, 'exclusive'));
  const texts = lines([...overlapping, ...later]);
  assert.equal(texts.length, 136); // 64 of the later spans continue one of the first ranges
  assert.equal(texts[0], 'introduced 1.0.0, fixed 2.0.0, introduced 3.0.0, fixed 4.0.0');
  assert.equal(texts[64], 'introduced 1.0.64, fixed 2.0.64');
});

test('a fix that is not the end of its span is told beside the events', () => {
  const { ranges, fixedIn } = rangesOf(
    [
      coreSpan('1.0.0', '1.5.0', 'inclusive', '1.6'),
      coreSpan('2.0.0', '2.5.0', 'exclusive', '2.5.0'),
      coreSpan('3.0.0', '3.5.0', 'exclusive', '3.6.0'),
      coreSpan('4.0.0', null, null, '3.6.0'),
    ],
    'semver',
  );
  assert.deepEqual(fixedIn, ['1.6.0', '3.6.0']);
  assert.equal(ranges.length, 2);
});

test('random spans are evaluated to their own verdicts, and imported again as the same', (t) => {
  const dice = new Dice(printedSeed(t));
  for (let round = 0; round < 600; round++) {
    const { scheme, pool, probes, ecosystem } = OSV_POOLS[round % OSV_POOLS.length];
    const spans = randomSpans(dice, scheme, [...pool, ...(scheme === 'semver' ? [] : ['0'])]);
    const { ranges } = rangesOf(spans, scheme);
    const type = scheme === 'semver' ? 'SEMVER' : 'ECOSYSTEM';
    const affectedBy = (order: (events: readonly OsvEvent[]) => readonly OsvEvent[]): OsvAffectedJson[] => [
      {
        package: { ecosystem, name: 'a' },
        ranges: ranges.map((events) => ({ type, events: order(events) })),
      },
    ];
    const asWritten = affectedBy((events) => events);
    const reversed = affectedBy((events) => events.toReversed());
    const problems: FieldProblem[] = [];
    const imported = ranges.flatMap((events) =>
      spansOfEvents(events, scheme, 'range', problems).map(({ span }) =>
        coreSpan(span.from_version, span.to_version, span.to_bound),
      ),
    );
    const told = JSON.stringify({ spans, ranges });
    assert.deepEqual(problems, [], told);
    for (const version of [...pool, ...probes]) {
      const wanted = spans.some((span) => holds(scheme, span, version));
      const by = (a: string, b: string): number => compare(scheme, a, b);
      assert.equal(isVulnerableByText(version, asWritten, by), wanted, `${version} ${told}`);
      assert.equal(isVulnerableByText(version, reversed, by), wanted, `reversed: ${version} ${told}`);
      assert.equal(
        imported.some((span) => holds(scheme, span, version)),
        wanted,
        `imported: ${version} ${told}`,
      );
    }
  }
});

function randomSpans(dice: Dice, scheme: VersionScheme, pool: readonly string[]): Span[] {
  const spans: Span[] = [];
  const wanted = dice.whole(1, 6);
  while (spans.length < wanted) {
    const from = dice.whole(0, 3) === 0 ? null : dice.pick(pool);
    const to = dice.whole(0, 4) === 0 ? null : dice.pick(pool);
    const bound = to === null ? null : dice.pick(['exclusive', 'inclusive', 'last-affected'] as const);
    const fixedIn = dice.whole(0, 1) === 0 ? null : dice.pick(pool);
    const span = coreSpan(from, to, bound, fixedIn);
    if (!isEmptySpan(span, scheme)) spans.push(span);
  }
  return spans;
}
