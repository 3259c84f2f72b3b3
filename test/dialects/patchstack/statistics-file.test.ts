// Counts, held against a walk over the advisories that were imported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { MAX_SOURCES, prepareStatistics } from '../../../src/dialects/patchstack/statistics-file.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { PRODUCT_TYPES, productTypeFacts } from '../../../src/index/product-type.ts';
import { drawFeed } from '../../support/drawn-feeds.ts';
import { temporaryFolder } from '../../support/folder.ts';
import {
  compileGeneration,
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
  generationOfFeeds,
} from '../../support/generation.ts';
import { effectiveFix } from '../../support/linear-scan.ts';
import {
  type RealFeed,
  type RealRecord,
  readRealFeed,
  realDataOptions,
  realFeedPath,
} from '../../support/real-data.ts';
import { printedSeed } from '../../support/seed.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
function statisticsOf(generation: Generation): any {
  const [[, { plain }]] = [...prepareStatistics(generation)];
  assert.ok(plain.buffer instanceof SharedArrayBuffer);
  return JSON.parse(Buffer.from(plain).toString());
}

const BANDS = [
  { from: 9, word: 'critical' },
  { from: 7, word: 'high' },
  { from: 4, word: 'medium' },
  { from: 0.1, word: 'low' },
  { from: 0, word: 'none' },
];

function severityOf({ kind, severity, cvss: { score } }: Advisory): string {
  if (kind === 'malware') return 'critical';
  const label = severity.trim().toLowerCase().replace('moderate', 'medium');
  if (BANDS.some(({ word }) => word === label)) return label;
  // The data has a score of -1 for none.
  return score === null || score < 0 ? 'unknown' : BANDS.find(({ from }) => score >= from)!.word;
}

function tally(words: readonly string[], known: readonly string[]): Record<string, number> {
  return Object.fromEntries(known.map((word) => [word, words.filter((each) => each === word).length]));
}

const SEVERITY_WORDS = ['critical', 'high', 'medium', 'low', 'none', 'unknown'];

/** The twin: one pass for each count. */
function count(advisories: readonly Advisory[]): object {
  const published = advisories.filter(({ withdrawnAt }) => withdrawnAt === null);
  const monthOf = ({ disclosedAt }: Advisory): string =>
    new Date(disclosedAt * 1000).toISOString().slice(0, 7);
  const severities = (some: readonly Advisory[]): object => tally(some.map(severityOf), SEVERITY_WORDS);
  const months = new Map<string, Advisory[]>();
  for (const each of published) months.set(monthOf(each), [...(months.get(monthOf(each)) ?? []), each]);
  const products = new Set(published.map(({ product }) => `${product.type} ${product.slug}`));
  return {
    total: published.length,
    withdrawn: advisories.length - published.length,
    exploited: published.filter(({ isExploited }) => isExploited).length,
    without_fix: published.filter((each) => each.spans.every((span) => effectiveFix(each, span) === null))
      .length,
    by_type: tally(
      published.map(({ product }) => product.type),
      PRODUCT_TYPES,
    ),
    by_severity: severities(published),
    by_month: [...months].sort().map(([month, some]) => ({ month, ...severities(some) })),
    products: tally(
      [...products].map((each) => each.split(' ')[0]),
      PRODUCT_TYPES,
    ),
  };
}

function assertCounted(generation: Generation, advisories: readonly Advisory[]): void {
  const { advisories: counts, products } = statisticsOf(generation);
  assert.deepEqual({ ...counts, products }, count(advisories));
}

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

test('counts agree with a walk over the real data', realDataOptions, async (t) => {
  const feeds: readonly RealFeed[] = ['wordpress', 'npm'];
  const generation = await generationOfFeeds(t, feeds.map(realFeedPath));
  assertCounted(generation, feeds.flatMap(readRealFeed).map(asAdvisory));
});

function asAdvisory(record: RealRecord): Advisory {
  const { type, slug } = record.product;
  const { scheme, slugFolds } = productTypeFacts(type);
  return coreAdvisory(1, {
    product: coreProduct(type, slugFolds[0](slug)),
    disclosedAt: Date.parse(record.disclosed_at) / 1000,
    isExploited: record.is_exploited === true,
    cvss: { score: record.cvss?.score ?? null, vector: null },
    versionScheme: record.version_scheme ?? scheme,
    spans: record.affected.map((each) =>
      coreSpan(each.from_version, each.to_version, each.to_bound, each.fixed_in),
    ),
  });
}

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
