// Counts, held against a walk over the advisories that were imported. e2e/real-verdicts.test.ts does the same
// with the real data.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { MAX_SOURCES } from '../../../src/dialects/patchstack/statistics-file.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { drawFeed } from '../../support/feeds/drawn-feeds.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { assertCounted, statisticsOf } from '../../support/snapshots/counted.ts';
import { compileGeneration, coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

test('counts agree with a walk over drawn advisories', (t) => {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  for (let feed = 0; feed < 25; feed++) {
    const advisories = drawFeed(dice).advisories.map((advisory): Advisory => {
      return {
        ...advisory,
        kind: dice.pick(['vulnerability', 'vulnerability', 'malware', 'informational']),
        severity: dice.pick(['', '', 'Moderate', 'NONE', 'critical', 'urgent', ' low ']),
        cvss: { score: dice.chance(0.2) ? dice.pick([null, -1]) : dice.whole(0, 100) / 10, vector: null },
        isExploited: dice.chance(0.3),
        disclosedAt: dice.whole(-5, 400) * 5_000_000,
      };
    });
    assertCounted(compileGeneration(folder, advisories), advisories);
  }
});

test('of a snapshot without advisories every count is 0', (t) => {
  assertCounted(generationOf(t, []), []);
});

test('an advisory counts once for each of its sources, and the rarest sources are left out beyond a limit', (t) => {
  const source = (name: string, fields: readonly string[], notice = '') => {
    return { name, notice, license: '', licenseUrl: '', fields };
  };
  const common = [
    source('common', ['title']),
    source('common', ['cvss']),
    source('common', ['cwe'], 'other'),
  ];
  const generation = generationOf(
    t,
    Array.from({ length: MAX_SOURCES + 5 }, (_, i) =>
      coreAdvisory(i + 1, { sources: [...common, source(`of ${i}`, ['affected'])] }),
    ),
  );
  const { sources, omitted_sources } = statisticsOf(generation);
  assert.deepEqual([sources.length, omitted_sources], [MAX_SOURCES, 7]);
  assert.deepEqual(sources.slice(0, 3), [
    { name: 'common', notice: '', license: '', license_url: '', advisories: MAX_SOURCES + 5 },
    { name: 'common', notice: 'other', license: '', license_url: '', advisories: MAX_SOURCES + 5 },
    { name: 'of 0', notice: '', license: '', license_url: '', advisories: 1 },
  ]);
});
