// Explanations, held against the slow twin: the verdicts come from the index, the comparisons are made span
// by span, and both must say what a scan of the spans says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory, Product } from '../../../src/compiler/advisory.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { Generation } from '../../../src/index/generation.ts';
import {
  type ExplainedSpan,
  type Explanation,
  MAX_EXPLAINED_SPANS,
} from '../../../src/index/lookup/explain.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { Locator } from '../../../src/index/lookup/locate.ts';
import { Matches } from '../../../src/index/lookup/matches.ts';
import { productTypeFacts } from '../../../src/index/product-type.ts';
import { completeSemver } from '../../../src/index/versions/complete.ts';
import { isStrictScheme, type VersionScheme } from '../../../src/index/versions/version-key.ts';
import { STRICT_TYPES } from '../../../src/index/versions/version-of-type.ts';
import { drawFeed, drawLookup } from '../../support/feeds/drawn-feeds.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compare, holds, isOrdered, scan, scanForUpdate } from '../../support/oracles/linear-scan.ts';
import { printedSeed } from '../../support/seed.ts';
import {
  compileGeneration,
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
} from '../../support/snapshots/generation.ts';

const FEEDS = 40;
const VERSIONS_PER_FEED = 40;
const memory = { locator: new Locator(), matches: new Matches() };

function explained(
  generation: Generation,
  type: Product['type'],
  name: string,
  version: string,
): Explanation {
  const explanation = generation.explain(type, name, version, memory);
  assert.ok(explanation !== undefined, version);
  return explanation;
}

/** A span as explanations show it. */
function shown({ from, to, toBound, fixedIn }: Span, scheme: VersionScheme): Span {
  const text = (version: string | null): string | null =>
    version !== null && scheme === 'semver' ? completeSemver(version) : version;
  return { from: text(from), to: text(to), toBound, fixedIn: text(fixedIn) };
}

test('explanations agree with the scan: verdicts, deciding spans, comparisons and clear versions', (t) => {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  const excluded = { from: 0, to: 0, scheme: 0, inside: 0 };
  let clears = 0;
  let fewer = 0;
  for (let feed = 0; feed < FEEDS; feed++) {
    const drawn = drawFeed(dice);
    const generation = compileGeneration(folder, drawn.advisories);
    for (let i = 0; i < VERSIONS_PER_FEED; i++) {
      const { product, version } = drawLookup(dice, drawn);
      const label = `${product.type} ${product.slug} ${version} of ${JSON.stringify(drawn.advisories)}`;
      const found = scan(drawn.advisories, { product, version });
      const explanation = generation.explain(product.type, product.slug, version, memory);
      assert.equal(explanation === undefined, found === undefined, label);
      if (explanation === undefined || found === undefined) continue;
      const own = drawn.advisories
        .filter(({ withdrawnAt }) => withdrawnAt === null)
        .filter((each) => each.product.type === product.type && each.product.slug === product.slug)
        .sort((a, b) => b.id - a.id);
      assert.deepEqual(
        explanation.advisories.map(({ ordinal }) => generation.idAt(ordinal)),
        own.map(({ id }) => id),
        label,
      );
      explanation.advisories.forEach(({ scheme, decisive, spans }, place) => {
        const { id, versionScheme } = own[place];
        assert.equal(scheme, versionScheme);
        const expected = found.find((each) => each.id === id)?.span;
        assert.deepEqual(
          decisive === undefined ? undefined : shown(decisive, 'php'),
          expected === undefined ? undefined : shown(expected, scheme),
          label,
        );
        assert.equal(
          decisive !== undefined,
          spans.some(({ excludedBy }) => excludedBy === undefined),
          label,
        );
        assert.ok(decisive === undefined || spans.includes(decisive));
        for (const span of spans) {
          assertCompared(scheme, span, version, label);
          excluded[span.excludedBy ?? 'inside']++;
        }
      });
      assertPlaced(explanation, version, label);
      if (assertClear(explanation, own, product, version, label)) clears++;
      const leftOf = (each: string): number[] =>
        (scan(own, { product, version: each }) ?? []).map(({ id }) => id).sort((a, b) => b - a);
      assert.deepEqual(shownLeft(generation, explanation), fewestLeft(explanation, version, leftOf), label);
      if (explanation.fewestLeft !== undefined) fewer++;
    }
  }
  t.diagnostic(
    `spans: ${JSON.stringify(excluded)}; ${clears} explanations with a clear version, ${fewer} with one that leaves fewer`,
  );
  // How many are excluded by their scheme depends on which feeds were drawn: from none to thousands.
  const { scheme: _, ...others } = excluded;
  assert.ok(
    Math.min(...Object.values(others)) > 20 && clears > 10 && fewer > 0,
    JSON.stringify({ excluded, clears, fewer }),
  );
});

function shownLeft(generation: Generation, { fewestLeft }: Explanation) {
  if (fewestLeft === undefined) return undefined;
  return { version: fewestLeft.version, ids: fewestLeft.ordinals.map((ordinal) => generation.idAt(ordinal)) };
}

/** The slow twin of the version that leaves the fewest: asks about every version. */
function fewestLeft(
  { axes, update }: Explanation,
  version: string,
  leftOf: (version: string) => readonly number[],
): { readonly version: string; readonly ids: readonly number[] } | undefined {
  if (update !== null || axes.length !== 1) return undefined;
  const [{ scheme, versions }] = axes;
  if (!isOrdered(scheme, version)) return undefined;
  let best: { readonly version: string; readonly ids: readonly number[] } | undefined;
  let least = leftOf(version).length;
  for (const each of versions.filter((each) => compare(scheme, each, version) >= 0)) {
    const ids = leftOf(each);
    if (ids.length >= least) continue;
    best = { version: each, ids };
    least = ids.length;
  }
  return best;
}

/** Without the local part, which an exclusion does not name. */
function publicPart(scheme: VersionScheme, version: string): string {
  return scheme === 'pep440' ? version.replace(/\+.*/, '') : version;
}

/** Whether the reason given is the right one. */
function assertCompared(scheme: VersionScheme, span: ExplainedSpan, asked: string, label: string): void {
  const { from, to, toBound, excludedBy } = span;
  assert.equal(excludedBy === undefined, holds(scheme, span, asked), label);
  if (excludedBy === 'scheme') assert.ok(!isOrdered(scheme, asked), label);
  if (excludedBy === undefined || excludedBy === 'scheme') return;
  const version = publicPart(scheme, asked);
  if (excludedBy === 'from') {
    assert.ok(compare(scheme, version, from!) < 0, label);
    assert.equal(span.comparison, `${version} < ${from}`);
  }
  if (excludedBy === 'to') {
    const order = compare(scheme, version, to!);
    assert.ok(toBound === 'exclusive' ? order >= 0 : order > 0, label);
    assert.equal(span.comparison, `${version} ${toBound === 'exclusive' ? '>=' : '>'} ${to}`);
  }
}

/** Whether the axes ascend, every bound and fix is at its place, and the places alone give each reason. */
function assertPlaced(
  { axes, advisories, update, lowestClear }: Explanation,
  asked: string,
  label: string,
): void {
  for (const { scheme, versions, place } of axes) {
    const version = publicPart(scheme, asked);
    assert.ok(
      versions.every((each, i) => i === 0 || compare(scheme, versions[i - 1], each) < 0),
      label,
    );
    assert.equal(place !== undefined, isOrdered(scheme, version), label);
    if (place === undefined) continue;
    const { below, isExact } = place;
    assert.equal(below, versions.filter((each) => compare(scheme, each, version) < 0).length, label);
    assert.equal(isExact, below < versions.length && compare(scheme, versions[below], version) === 0, label);
  }
  const named = axes.map(() => new Set<number>());
  for (const { scheme, axis, spans } of advisories) {
    assert.equal(axes[axis].scheme, scheme);
    const { versions, place, wholePlace } = axes[axis];
    const assertAt = (at: number | null, text: string | null): void => {
      if (at === null) {
        assert.ok(text === null || !isOrdered(scheme, text) || compare(scheme, text, '0') === 0, label);
      } else {
        named[axis].add(at);
        assert.ok(text !== null && compare(scheme, versions[at], text) === 0, label);
      }
    };
    for (const { from, to, toBound, fixedIn, fromAt, toAt, fixedAt, excludedBy } of spans) {
      assertAt(fromAt, from);
      assertAt(toAt, to);
      assertAt(fixedAt, fixedIn);
      assert.equal(toAt === null, to === null, label);
      if (place === undefined || (wholePlace !== undefined && excludedBy === undefined)) continue;
      const at = place.isExact ? place.below : place.below - 0.5;
      const isBefore = fromAt !== null && at < fromAt;
      const isBeyond = toAt !== null && (toBound === 'exclusive' ? at >= toAt : at > toAt);
      assert.equal(excludedBy, isBefore ? 'from' : isBeyond ? 'to' : undefined, label);
    }
  }
  // Nothing else is on the axes, and what is clear is.
  assert.deepEqual(
    named.map(({ size }) => size),
    axes.map(({ versions }) => versions.length),
    label,
  );
  for (const clear of [update, lowestClear]) {
    assert.ok(clear === null || axes.some(({ versions }) => versions.includes(clear)), `${clear}: ${label}`);
  }
}

/** Whether the lowest clear version is the twin's, where the twin has one scheme to compare by. */
function assertClear(
  { lowestClear }: Explanation,
  own: readonly Advisory[],
  product: Product,
  version: string,
  label: string,
): boolean {
  const schemes = [...new Set(own.map(({ versionScheme }) => versionScheme))];
  if (schemes.length !== 1) return false;
  if (isStrictScheme(schemes[0]) && !STRICT_TYPES[productTypeFacts(product.type).code]) return false;
  assert.equal(lowestClear, scanForUpdate(own, product, null), label);
  return lowestClear !== null && version !== '';
}

test('a comparison names the bounds as they were compared', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, {
      spans: [
        coreSpan(null, null),
        coreSpan('1.0', '1.5', 'exclusive'),
        coreSpan('1.0', '1.2'),
        coreSpan('1.2', null),
        coreSpan(null, '1.3', 'last-affected'),
        coreSpan('1.3', '2.0'),
        coreSpan('1.0', '1.2.0', 'exclusive'),
        coreSpan(null, '1.1', null),
      ],
    }),
  ]);
  const [{ spans, decisive }] = explained(generation, 'plugin', 'gallery', '1.2').advisories;
  assert.deepEqual(
    spans.map(({ comparison, excludedBy }) => [comparison, excludedBy]),
    [
      ['1.2 > 1.1', 'to'],
      ['1.2 <= 1.3', undefined],
      ['every version', undefined],
      ['1.2 >= 1.2.0', 'to'],
      ['1.0 <= 1.2 <= 1.2', undefined],
      ['1.0 <= 1.2 < 1.5', undefined],
      ['1.2 <= 1.2', undefined],
      ['1.2 < 1.3', 'from'],
    ],
  );
  assert.equal(decisive, spans[6]);
});

test('each scheme of a product reads the version, and a strict one may refuse it', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { versionScheme: 'wordpress' }),
    coreAdvisory(2, { versionScheme: 'semver' }),
  ]);
  const read = (version: string, name = 'gallery'): unknown[] =>
    explained(generation, 'plugin', name, version).readings.map(({ scheme, parts }) => [
      scheme,
      parts?.map(({ text }) => text).join(' '),
    ]);
  assert.deepEqual(read('1.2'), [
    ['semver', '1 2 0'],
    ['wordpress', '1 2'],
  ]);
  assert.deepEqual(read('1 beta'), [
    ['semver', undefined],
    ['wordpress', '1 beta'],
  ]);
  assert.deepEqual(read('1.2', 'unknown'), [['wordpress', '1 2']]);
  const [semver] = explained(generation, 'plugin', 'gallery', '1 beta').advisories;
  assert.deepEqual(
    semver.spans.map(({ excludedBy, comparison }) => [excludedBy, comparison]),
    [['scheme', '1 beta is not a semantic version, such as 1.2.3']],
  );
});

test('a lower bound of 0 under semver is no bound', (t) => {
  const product = coreProduct('npm', 'left');
  const generation = generationOf(t, [
    coreAdvisory(1, { product, spans: [coreSpan('0', '1.0.0', 'exclusive')] }),
  ]);
  const [{ decisive }] = explained(generation, 'npm', 'left', '0.0.0-rc.1').advisories;
  assert.equal(decisive?.comparison, '0.0.0-rc.1 < 1.0.0');
});

test('withdrawn advisories are left out, and an unknown product has none', (t) => {
  const generation = generationOf(t, [coreAdvisory(1), coreAdvisory(2, { withdrawnAt: 1_700_000_000 })]);
  const { advisories, isKnown } = explained(generation, 'plugin', 'gallery', '1');
  assert.equal(isKnown, true);
  assert.deepEqual(
    advisories.map(({ ordinal }) => generation.idAt(ordinal)),
    [1],
  );
  const unknown = explained(generation, 'plugin', 'unknown', '1');
  assert.deepEqual(
    { ...unknown, readings: unknown.readings.length },
    {
      isKnown: false,
      readings: 1,
      axes: [],
      advisories: [],
      lowestClear: null,
      update: null,
      fewestLeft: undefined,
      omittedSpans: 0,
    },
  );
});

test('beyond the limit only spans that decide are shown, and the others are counted', (t) => {
  const perAdvisory = 101;
  const spans = Array.from({ length: perAdvisory }, (_, i) => coreSpan(`${i + 1}.0`, `${i + 1}.1`));
  const generation = generationOf(
    t,
    Array.from({ length: 101 }, (_, i) => coreAdvisory(i + 1, { spans })),
  );
  const { advisories, omittedSpans } = explained(generation, 'plugin', 'gallery', '90.0');
  const listed = advisories.reduce((sum, each) => sum + each.spans.length, 0);
  assert.equal(listed + omittedSpans, 101 * perAdvisory);
  assert.ok(listed >= MAX_EXPLAINED_SPANS && listed <= MAX_EXPLAINED_SPANS + 101);
  for (const { decisive, spans: own } of advisories)
    assert.ok(decisive !== undefined && own.includes(decisive));
});

test('the axes cover what is shown when spans are left out', (t) => {
  const spans = Array.from({ length: MAX_EXPLAINED_SPANS / 100 + 1 }, (_, i) =>
    coreSpan(`1.${i}`, `1.${i}.5`, 'inclusive', `1.${i}.6`),
  );
  const generation = generationOf(t, [
    coreAdvisory(1, { spans: [coreSpan('0.1', '0.2')] }), // the last to be listed: it does not fit
    ...Array.from({ length: 100 }, (_, i) => coreAdvisory(i + 2, { spans })),
  ]);
  const { axes, omittedSpans, advisories } = explained(generation, 'plugin', 'gallery', '1.3');
  assert.ok(omittedSpans > 0 && advisories[100].spans.length === 0);
  const [{ versions }] = axes;
  assert.deepEqual([versions.length, versions.includes('0.1')], [3 * spans.length, false]);
});
