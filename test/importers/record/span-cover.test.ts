import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { FeedSpan } from '../../../src/importers/record/feed-schema.ts';
import { keyedSpan, SpanCover } from '../../../src/importers/record/span-cover.ts';
import { compareKeys, getVersionKey, type VersionScheme } from '../../../src/index/versions/version-key.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

const SCHEME: VersionScheme = 'wordpress';
const VERSIONS = ['0.9', '1', '1.0', '1.5', '2.0-beta', '2.0', '3', '3.1', '4'];

const key = (version: string): Uint8Array => getVersionKey(SCHEME, version);

function holds({ from_version: from, to_version: to, to_bound }: FeedSpan, version: string): boolean {
  if (from !== null && compareKeys(key(version), key(from)) < 0) return false;
  const order = to === null ? -1 : compareKeys(key(version), key(to));
  return order < 0 || (order === 0 && to_bound !== 'exclusive');
}

test('a version is covered if any span contains it', (t) => {
  const dice = new Dice(printedSeed(t));
  const end = (): string | null => (dice.chance(0.1) ? null : dice.pick(VERSIONS));
  let covered = 0;
  const records = volume(20_000);
  for (let count = 0; count < records; count++) {
    const spans = Array.from(
      { length: dice.whole(0, 4) },
      (): FeedSpan => ({
        from_version: end(),
        to_version: end(),
        to_bound: dice.pick(['exclusive', 'inclusive', 'last-affected', null]),
        fixed_in: null,
      }),
    );
    const cover = new SpanCover(spans.map((span) => keyedSpan(span, SCHEME)));
    for (const version of VERSIONS) {
      const expected = spans.some((span) => holds(span, version));
      assert.equal(cover.contains(key(version)), expected, `${version} in ${JSON.stringify(spans)}`);
      if (expected) covered++;
    }
  }
  const share = covered / (records * VERSIONS.length);
  assert.ok(share > 0.2 && share < 0.8, String(share));
});

test('a bound that is not a version counts as open', () => {
  const span = { from_version: '-', to_version: '-', to_bound: 'exclusive', fixed_in: null } as const;
  assert.ok(new SpanCover([keyedSpan(span, SCHEME)]).contains(key('7')));
});
