// What a client that compares versions itself makes of the entries, against what the engine says.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type ComparableSpan,
  comparableSpan,
  lowest,
  plain,
} from '../../../src/dialects/wpscan/comparable.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { Locator } from '../../../src/index/lookup/locate.ts';
import { endOfSpans, firstSpan } from '../../../src/index/span-list.ts';
import { comparePhp, compareWordpress } from '../../support/oracles/php-order.ts';
import { printedSeed } from '../../support/seed.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

const ADVISORIES = 300;
const VERSIONS_EACH = 100;

/** The client's own comparison: without a fix it shows the vulnerability for every version. */
function isShown({ introducedIn, fixedIn }: ComparableSpan, version: string): boolean {
  if (fixedIn === null) return true;
  if (introducedIn !== null && comparePhp(version, introducedIn) < 0) return false;
  return comparePhp(version, fixedIn) < 0;
}

const SUFFIXES = ['', '', '', '.0', '.0.0', '-beta', '-beta2', 'rc1', '-dev', 'pl1', '.0-alpha'];

function randomVersion(dice: Dice): string {
  const parts = Array.from({ length: dice.whole(1, 3) }, () => dice.pick([0, 0, 1, 2, 5, 10]));
  return `${parts.join('.')}${dice.pick(SUFFIXES)}`;
}

function randomSpan(dice: Dice): Span {
  const [from, to, fix] = Array.from({ length: 3 }, () => randomVersion(dice)).sort(compareWordpress);
  const bound = dice.pick(['inclusive', 'exclusive', 'last-affected', null] as const);
  const isEmpty = bound === 'exclusive' && compareWordpress(from, to) === 0;
  const fixedIn = dice.chance(0.7) ? fix : null;
  if (dice.chance(0.05)) return coreSpan(from, null);
  return coreSpan(dice.chance(0.4) || isEmpty ? null : from, to, bound, fixedIn);
}

/** A version with more zeros than the fix, and then a pre-release word: what no `fixed_in` can say. */
function isZerosBeyondFix(version: string, spans: readonly ComparableSpan[]): boolean {
  const release = /^[0-9.]*[0-9]/.exec(version)?.[0] ?? '';
  if (release === version) return false;
  return spans.some(
    ({ fixedIn }) =>
      fixedIn !== null &&
      compareWordpress(release, fixedIn) === 0 &&
      release.split('.').length > fixedIn.split('.').length,
  );
}

test('clients miss nothing that applies, but pre-releases with more zeros than the fix', (t) => {
  const dice = new Dice(printedSeed(t));
  const generation = generationOf(
    t,
    Array.from({ length: ADVISORIES }, (_, i) =>
      coreAdvisory(i + 1, {
        product: { ...coreProduct('plugin', `p-${i + 1}`), id: i + 1 },
        spans: Array.from({ length: dice.whole(1, 3) }, () => randomSpan(dice)),
      }),
    ),
  );
  const { columns } = generation.parts;
  const locator = new Locator();
  const counts = { affected: 0, more: 0, excepted: 0 };
  for (let id = 1; id <= ADVISORIES; id++) {
    const ordinal = generation.findId(id) ?? -1;
    const spans: ComparableSpan[] = [];
    for (let span = firstSpan(columns, ordinal); span < endOfSpans(columns, ordinal); span++) {
      spans.push(comparableSpan(generation, ordinal, span));
    }
    for (let i = 0; i < VERSIONS_EACH; i++) {
      const version = randomVersion(dice);
      const place = generation.locate('plugin', `p-${id}`, version, locator);
      assert.ok(place.kind !== 'not-a-version');
      const isAffected = generation.any(place);
      const shown = spans.some((span) => isShown(span, version));
      if (isAffected) counts.affected++;
      if (shown && !isAffected) counts.more++;
      if (!isAffected || shown) continue;
      counts.excepted++;
      assert.ok(isZerosBeyondFix(version, spans), `${version} is missed in ${JSON.stringify(spans)}`);
    }
  }
  const asked = ADVISORIES * VERSIONS_EACH;
  t.diagnostic(
    `${asked} versions: ${counts.affected} affected, ${counts.more} shown though not affected, ${counts.excepted} missed as documented`,
  );
  assert.ok(counts.affected > asked / 10 && counts.affected < asked);
});

test('a lower bound is written so that no equal version is below it in PHP', () => {
  for (const [version, expected] of [
    ['1.5', '1.5'],
    ['1.5.0', '1.5'],
    ['1.0.0', '1'],
    ['10', '10'],
    ['0.0', null],
    ['1.0-beta2', '1.beta.2'],
    ['1.0-beta', '1.beta'],
    ['1.0.5-beta', '1.0.5-beta'],
    ['1.0pl1', '1.0pl1'],
    ['v1.5 RC1', '1.5.rc.1'],
  ] as const) {
    assert.equal(lowest(version), expected, version);
  }
});

test('a bound that PHP would read in another way is written in its parts', () => {
  for (const [version, expected] of [
    ['1.5.0', '1.5.0'],
    ['2.0-rc1', '2.0-rc1'],
    ['V2.0', '2.0'],
    [' 2.0 ', '2.0'],
    ['2.0-', '2.0'],
    ['2.0 Beta', '2.0.beta'],
  ]) {
    assert.equal(plain(version), expected, version);
  }
});

function soleSpan(t: TestContext, span: Span): ComparableSpan {
  const generation = generationOf(t, [coreAdvisory(1, { spans: [span] })]);
  return comparableSpan(generation, 0, 0);
}

test('fixed_in is a fix above the span, else an exclusive end; without either it is null', (t) => {
  assert.deepEqual(soleSpan(t, coreSpan('1.0', '1.5', 'inclusive', '1.6')), {
    introducedIn: '1',
    fixedIn: '1.6',
    isOpen: false,
  });
  assert.equal(soleSpan(t, coreSpan(null, '1.5', 'exclusive')).fixedIn, '1.5');
  assert.deepEqual(soleSpan(t, coreSpan(null, '1.5')), { introducedIn: null, fixedIn: null, isOpen: true });
  assert.deepEqual(soleSpan(t, coreSpan('1.5', null)), { introducedIn: '1.5', fixedIn: null, isOpen: false });
});

test('under a scheme that is not PHP’s order, clients are shown every version', (t) => {
  const spans = [coreSpan('3.41', '3.5', 'exclusive', '3.5')];
  const generation = generationOf(t, [coreAdvisory(1, { spans, versionScheme: 'decimal' })]);
  assert.deepEqual(comparableSpan(generation, 0, 0), { introducedIn: null, fixedIn: null, isOpen: true });
});
