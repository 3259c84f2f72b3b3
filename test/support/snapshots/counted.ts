// What /statistics says of a generation, and the slow twin: a walk over the advisories that were imported,
// with one pass for each count.

import assert from 'node:assert/strict';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { MOST_AFFECTED, prepareStatistics } from '../../../src/dialects/patchstack/statistics.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { effectiveFix } from '../oracles/linear-scan.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
export function statisticsOf(generation: Generation): any {
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
  const names = published.map(({ product }) => `${product.type} ${product.slug}`);
  const products = new Set(names);
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
    most_affected: Object.fromEntries(
      PRODUCT_TYPES.map((type) => [
        type,
        [...products]
          .filter((each) => each.startsWith(`${type} `))
          .map((each) => ({
            name: each.slice(type.length + 1),
            advisories: names.filter((name) => name === each).length,
          }))
          .sort(
            (a, b) => b.advisories - a.advisories || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
          )
          .slice(0, MOST_AFFECTED),
      ]),
    ),
  };
}

/** The counts that depend on the advisories, apart from their sources. */
export function assertCounted(generation: Generation, advisories: readonly Advisory[]): void {
  const { advisories: counts, products, most_affected } = statisticsOf(generation);
  assert.deepEqual({ ...counts, products, most_affected }, count(advisories));
}
