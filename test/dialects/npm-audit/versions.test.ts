// Ranges in node-semver's words, held against node-semver and the lookup.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import semver from 'semver';
import { affectedRange, patchedRange } from '../../../src/dialects/npm-audit/versions.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { Span } from '../../../src/index/lookup/interval.ts';
import { Locator } from '../../../src/index/lookup/locate.ts';
import { Matches } from '../../../src/index/lookup/matches.ts';
import { endOfSpans, firstSpan } from '../../../src/index/span-list.ts';
import { completeSemver } from '../../../src/index/versions/complete.ts';
import { realDataOptions } from '../../support/feeds/real-data.ts';
import {
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
  realGeneration,
} from '../../support/snapshots/generation.ts';

const AS_CLIENTS = { includePrerelease: true, loose: true };
const NEIGHBOURS = ['0.0.0-0', '0.0.0', '0.0.1', '1.0.0-beta.1', '1.0.0', '999999.0.0', '999999.0.0-rc.1'];

const library = coreProduct('npm', 'library');

function rangesOf(generation: Generation, id: number): string[] {
  const ordinal = generation.findId(id);
  assert.ok(ordinal !== undefined);
  return [affectedRange(generation, ordinal), patchedRange(generation, ordinal)];
}

test('branches are ascending, joined where they meet, and end as their bounds do', (t) => {
  const rows: readonly [affected: string, patched: string, ...spans: Span[]][] = [
    ['<1.5.0', '>=1.5.0', coreSpan(null, '1.5.0', 'exclusive')],
    ['<=1.5.0', '>1.5.0', coreSpan('0', '1.5.0', 'inclusive')],
    ['<=1.5.0', '>1.5.0', coreSpan('0.0.0', '1.5.0', 'last-affected')],
    ['<=1.5.0', '>1.5.0', coreSpan(null, '1.5.0', null)],
    ['>=1.0.0', '<0.0.0', coreSpan('1', null)],
    ['*', '<0.0.0', coreSpan(null, null)],
    [
      '<0.5.0 || >=1.0.0 <1.2.0 || >=2.0.0 <=2.1.0',
      '>2.1.0',
      coreSpan('2.0.0', '2.1'),
      coreSpan(null, '0.5.0', 'exclusive'),
      coreSpan('1.0.0', '1.2.0', 'exclusive'),
    ],
    [
      '>=1.0.0 <3.0.0',
      '>=3.0.0',
      coreSpan('1.0.0', '3.0.0', 'exclusive'),
      coreSpan('1.5.0', '2.0.0', 'exclusive'),
    ],
    ['>=1.0.0 <=2.0.0', '>2.0.0', coreSpan('1.0.0', '2.0.0', 'exclusive'), coreSpan('1.1.0', '2.0.0')],
    ['>=1.0.0 <=3.0.0', '>3.0.0', coreSpan('1.0.0', '2.0.0', 'exclusive'), coreSpan('2.0.0', '3.0.0')],
    ['>=1.0.0', '<0.0.0', coreSpan('1.0.0', null), coreSpan('1.1.0', '2.0.0')],
    ['>=1.0.0-beta.2 <1.0.0', '>=1.0.0', coreSpan('v1.0.0beta.02', '=1.0.0+build', 'exclusive')],
  ];
  const generation = generationOf(
    t,
    rows.map(([, , ...spans], i) => coreAdvisory(i + 1, { product: library, spans })),
  );
  for (const [i, [affected, patched]] of rows.entries()) {
    assert.deepEqual(rangesOf(generation, i + 1), [affected, patched]);
    assert.notEqual(semver.validRange(affected), null);
    assert.notEqual(semver.validRange(patched), null);
  }
});

test(
  'for real advisories, node-semver agrees with the lookup about every version near a bound',
  realDataOptions,
  async () => {
    const generation = await realGeneration('npm');
    const { columns } = generation.parts;
    const locator = new Locator();
    const matches = new Matches();
    let count = 0;
    for (let product = 0; product < columns.productType.length; product++) {
      const { productSlug, productSlugStart: starts } = columns;
      const name = Buffer.from(productSlug.slice(starts[product], starts[product + 1])).toString();
      const ordinals = generation.advisoriesOf(product);
      const ranges = Array.from(
        ordinals,
        (ordinal) => new semver.Range(affectedRange(generation, ordinal), AS_CLIENTS),
      );
      for (const version of versionsNear(generation, ordinals)) {
        const place = generation.locate('npm', name, version, locator);
        assert.ok(place.kind !== 'not-a-version', version);
        generation.collect(place, matches);
        const found = Array.from({ length: matches.count }, (_, i) => matches.advisoryAt(i));
        const agreed = Array.from(ordinals).filter((_, i) => ranges[i].test(version));
        assert.deepEqual(agreed, found, `${name} ${version}`);
        count++;
      }
    }
    assert.ok(count > 10_000, String(count));
  },
);

/** The bounds of the advisories, and versions just beside them. */
function versionsNear(generation: Generation, ordinals: Uint32Array): ReadonlySet<string> {
  const { columns } = generation.parts;
  const { spanFrom, spanTo, versionTextStart } = columns;
  const near = new Set(NEIGHBOURS);
  for (const ordinal of ordinals) {
    for (let span = firstSpan(columns, ordinal); span < endOfSpans(columns, ordinal); span++) {
      for (const row of [spanFrom[span], spanTo[span]]) {
        if (row >= versionTextStart.length - 1) continue;
        const version = semver.parse(completeSemver(generation.versionText(row)), true);
        assert.ok(version !== null);
        const { major, minor, patch } = version;
        near
          .add(version.version)
          .add(`${major}.${minor}.${patch}`)
          .add(`${major}.${minor}.${patch + 1}`);
        near.add(`${major}.${minor}.${patch}-0`).add(`${major}.${minor}.${patch + 1}-alpha`);
        if (patch > 0) near.add(`${major}.${minor}.${patch - 1}`);
      }
    }
  }
  return near;
}
