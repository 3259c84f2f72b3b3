// GET /statistics: what is counted of a generation, as a prepared file of one walk over all advisories, made
// once and away from requests; and the snapshots that the process holds. After a swap the file is still of
// the previous snapshot until the next one is ready; `snapshot` says which.

import { createHash } from 'node:crypto';
import type { HandlerContext, KeptGeneration } from '../../http/context.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { textAt } from '../../index/column-texts.ts';
import { type IndexColumns, isExploited, NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { fixRange } from '../../index/items/affected-range.ts';
import { formatInstant } from '../../index/items/instant.ts';
import type { SourcesTerm } from '../../index/items/list-item.ts';
import { withdrawnCount } from '../../index/lookup/id-list.ts';
import { PRODUCT_TYPES, type ProductType } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { RememberedTerms, type TermSource } from '../remembered-terms.ts';
import { type Severity, severityFacts, severityFrom } from '../severity.ts';
import { sourceMembers } from '../source-members.ts';

const STATISTICS_FILE = 'patchstack/statistics';

/** The most sources listed. Real data has a handful; a feed could name another with each advisory. */
export const MAX_SOURCES = 100;
/** How many products of each type are listed as the most affected. */
export const MOST_AFFECTED = 3;
const HASH_DIGITS = 16;
const MONTH_CHARS = 7; // of 2026-04-21T08:38:34+00:00

/** In the order of the answer. */
const COUNTED_SEVERITIES = ['critical', 'high', 'medium', 'low', 'none', 'unknown'] as const;
type SeverityCounts = Record<Severity | 'unknown', number>;

export function* prepareStatistics(generation: Generation): Generator<readonly [string, PreparedFile]> {
  const text = Buffer.from(JSON.stringify(countAll(generation)));
  const plain = new Uint8Array(new SharedArrayBuffer(text.length));
  plain.set(text);
  // No answer has these bytes alone, so there is no use for them in gzip.
  const file = {
    contentType: 'application/json',
    plain,
    gzip: undefined,
    etag: etags.statistics(generation),
    headers: [],
  };
  yield [STATISTICS_FILE, file];
}

export function handleStatistics(
  request: RequestView,
  _: PathParts,
  { prepared, kept }: HandlerContext,
): Answer {
  const file = prepared?.get(STATISTICS_FILE);
  return file === undefined ? notYetPrepared() : answerPrepared(request, withKept(file, kept));
}

/** The file with the member `kept` in place of its last brace; the tag changes with it. */
function withKept(file: PreparedFile, kept: readonly KeptGeneration[]): PreparedFile {
  const list = kept.map(({ generation: { id, parts } }) => {
    return { id, built_at: new Date(parts.builtAtMs).toISOString() };
  });
  const end = Buffer.from(`,"kept":${JSON.stringify(list)}}`);
  const start = file.plain.length - 1;
  const plain = new Uint8Array(start + end.length);
  plain.set(file.plain.subarray(0, start));
  plain.set(end, start);
  const hash = createHash('sha256').update(end).digest('hex').slice(0, HASH_DIGITS);
  return { ...file, plain, etag: file.etag.replace(/"$/, `.${hash}"`) };
}

function countAll(generation: Generation) {
  const { id, parts, publishedCount } = generation;
  const { columns, typeCounts, builtAtMs } = parts;
  const terms = new RememberedTerms(generation.records);
  const bySeverity = noSeverities();
  const byMonth = new Map<string, SeverityCounts>();
  let exploited = 0;
  let withoutFix = 0;
  for (let ordinal = 0; ordinal < publishedCount; ordinal++) {
    const severity = severityAt(generation, ordinal, terms);
    const month = formatInstant(generation.disclosedAt(ordinal)).slice(0, MONTH_CHARS);
    const ofMonth = byMonth.get(month) ?? noSeverities();
    byMonth.set(month, ofMonth);
    bySeverity[severity]++;
    ofMonth[severity]++;
    if (isExploited(columns.advisoryFlags[ordinal])) exploited++;
    if (fixRange(columns, ordinal).lowest === NONE) withoutFix++;
  }
  const sources = countSources(generation, terms);
  return {
    snapshot: id,
    built_at: new Date(builtAtMs).toISOString(),
    advisories: {
      total: publishedCount,
      withdrawn: withdrawnCount(columns),
      exploited,
      without_fix: withoutFix,
      by_type: typeCounts,
      by_severity: bySeverity,
      by_month: [...byMonth]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([month, counts]) => ({ month, ...counts })),
    },
    products: countProducts(columns),
    most_affected: findMostAffected(generation),
    sources: sources.slice(0, MAX_SOURCES),
    omitted_sources: Math.max(0, sources.length - MAX_SOURCES),
  };
}

function noSeverities(): SeverityCounts {
  // Every counted severity has a count.
  return Object.fromEntries(COUNTED_SEVERITIES.map((severity) => [severity, 0])) as SeverityCounts;
}

function severityAt(generation: Generation, ordinal: number, terms: TermSource): Severity | 'unknown' {
  const [score] = generation.traitAt('traitsCvss', ordinal, terms);
  return severityFrom(severityFacts(generation, ordinal, score, terms)) ?? 'unknown';
}

/** The products of each type that have a published advisory. */
function countProducts({ productType, productAdvisoryStart }: IndexColumns): Record<ProductType, number> {
  const counts = PRODUCT_TYPES.map(() => 0);
  productType.forEach((type, product) => {
    if (productAdvisoryStart[product + 1] > productAdvisoryStart[product]) counts[type]++;
  });
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, counts[i]])) as Record<ProductType, number>;
}

/** Of each type the products with the most published advisories, by descending count. */
function findMostAffected(generation: Generation): Record<ProductType, object> {
  const { productType, productSlug, productSlugStart } = generation.parts.columns;
  const most = PRODUCT_TYPES.map((): number[] => []);
  productType.forEach((type, product) => {
    const count = generation.advisoryCountOf(product);
    const list = most[type];
    const at = list.findIndex((other) => generation.advisoryCountOf(other) < count);
    if (count > 0 && (at >= 0 || list.length < MOST_AFFECTED)) {
      list.splice(at < 0 ? list.length : at, 0, product);
      list.splice(MOST_AFFECTED);
    }
  });
  const named = most.map((list) =>
    list.map((product) => ({
      name: textAt(productSlug, productSlugStart, product),
      advisories: generation.advisoryCountOf(product),
    })),
  );
  return Object.fromEntries(PRODUCT_TYPES.map((type, i) => [type, named[i]])) as Record<ProductType, object>;
}

/**
 * Sources that differ in name, notice or licence, each with the advisories that name it, by descending count.
 */
function countSources({ parts, publishedCount }: Generation, terms: TermSource) {
  const { advisoryTraits, traitsSources } = parts.columns;
  const byTerm = new Map<number, number>();
  for (const traits of advisoryTraits.subarray(0, publishedCount)) {
    const term = traitsSources[traits];
    byTerm.set(term, (byTerm.get(term) ?? 0) + 1);
  }
  const bySource = new Map<string, number>();
  for (const [term, count] of byTerm) {
    const sources = terms.termAt(term) as SourcesTerm; // the loader checked its shape
    // An advisory may name a source twice, for different fields.
    for (const source of new Set(sources.map((each) => JSON.stringify(each.slice(0, 4))))) {
      bySource.set(source, (bySource.get(source) ?? 0) + count);
    }
  }
  return [...bySource]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .map(([source, count]) => ({ ...sourceMembers(JSON.parse(source)), advisories: count }));
}
