// Products, and the published spans of each as intervals. A group is one product under one version scheme;
// nearly every product has just one.

import { type IndexColumns, NONE } from '../index/columns.ts';
import { highPosition, lowPosition, upperBoundOf } from '../index/lookup/interval.ts';
import { layMaxHi } from '../index/lookup/interval-index.ts';
import { lowerBound } from '../index/lookup/search.ts';
import { GrowableF64, GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { affectsEveryVersion, endOfSpans, firstSpan, type SpanListColumns } from '../index/span-list.ts';
import { SCHEME_TABLE, type SchemeFacts } from '../index/versions/version-key.ts';
import { clearVersions, type LaidGroup } from './clear-versions.ts';
import type { NumberTable } from './number-table.ts';
import { Pool } from './pool.ts';
import { sortByWords } from './sort-by-words.ts';
import type { SortedVersions } from './version-table.ts';

/** Numbers products as they arrive; `sort` renumbers them by (type, slug bytes). */
export class ProductTable {
  readonly #types = new GrowableU8();
  readonly #slugs = new Pool();
  /** The id that the first advisory of each product gives it. */
  readonly #ids = new GrowableF64();
  readonly #numbers = PRODUCT_TYPES.map(() => new Map<string, number>());

  intern(typeCode: number, slug: string): number {
    const known = this.#numbers[typeCode].get(slug);
    if (known !== undefined) return known;
    const number = this.#slugs.addText(slug);
    this.#types.push(typeCode);
    this.#numbers[typeCode].set(slug, number);
    return number;
  }

  /** The id of a product: this one, if it has none yet. */
  idOf(number: number, id: number): number {
    if (number === this.#ids.length) this.#ids.push(id);
    return this.#ids.at(number);
  }

  /** `numbers` gets the ids. */
  sort(numbers: NumberTable): {
    readonly rowOf: Uint32Array;
    readonly columns: Pick<
      IndexColumns,
      'productType' | 'productSlug' | 'productSlugStart' | 'productNumber'
    >;
  } {
    const types = this.#types.view();
    const order = sortByWords(
      0,
      types.length,
      (number, round) => (round === 0 ? types[number] : this.#slugs.wordOf(number, round - 1)),
      (a, b) => types[a] - types[b] || this.#slugs.compare(a, b),
    );
    const rowOf = new Uint32Array(types.length);
    const slugs = new Pool();
    order.forEach((number, row) => {
      rowOf[number] = row;
      slugs.add(this.#slugs.at(number));
    });
    return {
      rowOf,
      columns: {
        productType: Uint8Array.from(order, (number) => types[number]),
        productSlug: slugs.bytes,
        productSlugStart: slugs.starts,
        productNumber: Uint32Array.from(order, (number) => numbers.elementOf(this.#ids.at(number))),
      },
    };
  }
}

interface ProductLayoutInput
  extends Pick<
    IndexColumns,
    | 'advisoryProduct'
    | 'advisoryScheme'
    | keyof SpanListColumns
    | 'spanFrom'
    | 'spanTo'
    | 'spanToBound'
    | 'spanFixedIn'
    | 'productType'
  > {
  /** Ordinals below this are published. */
  readonly published: number;
  readonly versions: SortedVersions;
}

type ProductLayout = Pick<
  IndexColumns,
  | 'productAdvisoryStart'
  | 'productAdvisory'
  | 'productGroupStart'
  | 'groupScheme'
  | 'groupBoundStart'
  | 'groupIntervalStart'
  | 'boundVersion'
  | 'intervalLo'
  | 'intervalHi'
  | 'intervalMaxHi'
  | 'intervalSpan'
  | 'intervalAdvisory'
  | 'groupClearStart'
  | 'clearVersion'
>;

interface Interval {
  readonly lo: number;
  readonly hi: number;
  readonly span: number;
  readonly advisory: number;
}

export function layOutProducts(input: ProductLayoutInput): ProductLayout {
  const { advisoryStart, advisories } = advisoriesByProduct(input);
  const { rowOfRank } = input.versions;
  const groupStart = new GrowableU32();
  const groupScheme = new GrowableU8();
  const boundStart = new GrowableU32();
  const intervalStart = new GrowableU32();
  const boundVersion = new GrowableU32();
  const lo = new GrowableU32();
  const hi = new GrowableU32();
  const span = new GrowableU32();
  const advisory = new GrowableU32();
  const clearStart = new GrowableU32();
  const clearVersion = new GrowableU32();
  for (let product = 0; product < input.productType.length; product++) {
    groupStart.push(groupScheme.length);
    const members = advisories.subarray(advisoryStart[product], advisoryStart[product + 1]);
    if (members.every((ordinal) => affectsEveryVersion(input, ordinal))) continue;
    const laid: LaidGroup[] = [];
    for (const { scheme, inScheme } of byScheme(members, input.advisoryScheme)) {
      groupScheme.push(scheme.code);
      boundStart.push(boundVersion.length);
      intervalStart.push(lo.length);
      const { ranks, intervals } = intervalsOf(input, inScheme);
      laid.push({ scheme, ranks, intervals, named: namedVersions(input, inScheme) });
      for (const rank of ranks) boundVersion.push(rowOfRank[rank]);
      for (const interval of intervals) {
        lo.push(interval.lo);
        hi.push(interval.hi);
        span.push(interval.span);
        advisory.push(interval.advisory);
      }
    }
    for (const clear of clearVersions(laid, input.versions)) {
      clearStart.push(clearVersion.length);
      for (const row of clear) clearVersion.push(row);
    }
  }
  groupStart.push(groupScheme.length);
  boundStart.push(boundVersion.length);
  intervalStart.push(lo.length);
  clearStart.push(clearVersion.length);
  const groupIntervalStart = intervalStart.view();
  const intervalMaxHi = new Uint32Array(hi.length);
  for (let group = 0; group < groupScheme.length; group++) {
    layMaxHi(hi.view(), intervalMaxHi, groupIntervalStart[group], groupIntervalStart[group + 1]);
  }
  return {
    productAdvisoryStart: advisoryStart,
    productAdvisory: advisories,
    productGroupStart: groupStart.view(),
    groupScheme: groupScheme.view(),
    groupBoundStart: boundStart.view(),
    groupIntervalStart,
    boundVersion: boundVersion.view(),
    intervalLo: lo.view(),
    intervalHi: hi.view(),
    intervalMaxHi,
    intervalSpan: span.view(),
    intervalAdvisory: advisory.view(),
    groupClearStart: clearStart.view(),
    clearVersion: clearVersion.view(),
  };
}

/** Ordinals by version scheme, in the order of the schemes. */
function byScheme(
  members: Uint32Array,
  advisoryScheme: Uint8Array,
): { readonly scheme: SchemeFacts; readonly inScheme: Uint32Array }[] {
  const codes = new Set<number>();
  for (const ordinal of members) codes.add(advisoryScheme[ordinal]);
  if (codes.size === 1) return [{ scheme: SCHEME_TABLE[advisoryScheme[members[0]]], inScheme: members }];
  return SCHEME_TABLE.filter(({ code }) => codes.has(code)).map((scheme) => {
    return { scheme, inScheme: members.filter((ordinal) => advisoryScheme[ordinal] === scheme.code) };
  });
}

/** Published ordinals by product, ascending within each: a counting sort. */
function advisoriesByProduct(input: ProductLayoutInput): {
  advisoryStart: Uint32Array;
  advisories: Uint32Array;
} {
  const { advisoryProduct, published, productType } = input;
  const advisoryStart = new Uint32Array(productType.length + 1);
  for (let ordinal = 0; ordinal < published; ordinal++) advisoryStart[advisoryProduct[ordinal] + 1]++;
  for (let product = 0; product < productType.length; product++)
    advisoryStart[product + 1] += advisoryStart[product];
  const next = advisoryStart.slice();
  const advisories = new Uint32Array(published);
  for (let ordinal = 0; ordinal < published; ordinal++) {
    advisories[next[advisoryProduct[ordinal]]++] = ordinal;
  }
  return { advisoryStart, advisories };
}

/**
 * The distinct bounds of some advisories as ascending ranks, and their spans as sorted intervals over those.
 */
function intervalsOf(
  input: ProductLayoutInput,
  ordinals: Uint32Array,
): { ranks: Uint32Array; intervals: Interval[] } {
  const { spanFrom, spanTo, spanToBound, versions } = input;
  const { keyRank, unboundedRows } = versions;
  const rankSet = new Set<number>();
  eachSpan(input, ordinals, (span) => {
    if (spanFrom[span] !== NONE) rankSet.add(keyRank[spanFrom[span]]);
    if (spanTo[span] !== NONE) rankSet.add(keyRank[spanTo[span]]);
  });
  const ranks = Uint32Array.from(rankSet).sort();
  const boundIndex = (version: number): number | null =>
    version === NONE ? null : lowerBound(ranks, keyRank[version]);
  const lowerIndex = (version: number): number | null =>
    version === NONE || unboundedRows.has(version) ? null : boundIndex(version);
  const intervals: Interval[] = [];
  eachSpan(input, ordinals, (span, advisory) => {
    intervals.push({
      lo: lowPosition(lowerIndex(spanFrom[span])),
      hi: highPosition(boundIndex(spanTo[span]), upperBoundOf(spanToBound[span]), ranks.length),
      span,
      advisory,
    });
  });
  // Of one advisory's intervals that contain a version, the last in this order is reported: the greatest
  // lower bound, then the least upper bound, then the one that comes first in the feed.
  intervals.sort((a, b) => a.lo - b.lo || b.hi - a.hi || b.span - a.span || b.advisory - a.advisory);
  return { ranks, intervals };
}

/** Rows of the bounds and of the fixes that are versions, repeated as often as they occur. */
function namedVersions(input: ProductLayoutInput, ordinals: Uint32Array): number[] {
  const { spanFrom, spanTo, spanFixedIn, versions } = input;
  const { versionKeyStart } = versions.columns;
  const rows: number[] = [];
  eachSpan(input, ordinals, (span) => {
    for (const row of [spanFrom[span], spanTo[span], spanFixedIn[span]]) {
      if (row !== NONE && versionKeyStart[row + 1] > versionKeyStart[row]) rows.push(row);
    }
  });
  return rows;
}

function eachSpan(
  columns: SpanListColumns,
  ordinals: Uint32Array,
  visit: (span: number, advisory: number) => void,
): void {
  for (const advisory of ordinals) {
    const end = endOfSpans(columns, advisory);
    for (let span = firstSpan(columns, advisory); span < end; span++) visit(span, advisory);
  }
}
