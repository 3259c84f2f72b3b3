// Fills the columns of the index from the facts of advisories, which come in the snapshot's order: interns
// what repeats and, at the end, sorts versions and products. alias-layout.ts and product-layout.ts fill the
// columns that their names say.

import {
  type BlockColumn,
  COLUMNS,
  hasBody,
  type IndexColumns,
  type InstantColumn,
  NONE,
  numberOf,
  numbersOf,
  RUN_COUNT,
} from '../index/columns.ts';
import type { LabelTerm } from '../index/items/list-item.ts';
import { type EpssRating, epssOf, kevDayOf } from '../index/items/rare-facts.ts';
import { publishedCount, runAt } from '../index/lookup/id-list.ts';
import { highPosition, lowPosition, upperBoundOf } from '../index/lookup/interval.ts';
import { partitionPoint } from '../index/lookup/search.ts';
import { GrowableU8, GrowableU32 } from '../index/memory/growable.ts';
import { PLATFORMS } from '../index/product-type.ts';
import { endOfSpans, firstSpan } from '../index/span-list.ts';
import { isPlaceholder } from '../index/versions/placeholder.ts';
import { SCHEME_TABLE, type SchemeFacts } from '../index/versions/version-key.ts';
import { AliasLayout } from './alias-layout.ts';
import { type FixCounts, followFixes } from './effective-fixes.ts';
import { NumberTable } from './number-table.ts';
import {
  type Facts,
  type Origins,
  TRAIT_COLUMNS,
  VALUE_COLUMNS,
  type ValueColumn,
} from './packed-advisory.ts';
import { type FullLabel, type PreviousAdvisories, Renumbering } from './previous.ts';
import { layOutProducts, ProductTable } from './product-layout.ts';
import { sortByWords, wordOfNumber } from './sort-by-words.ts';
import { SourceIdLayout } from './source-id-layout.ts';
import { shareSpanLists } from './span-lists.ts';
import { TermTable, TraitsTable } from './term-table.ts';
import { type SortedVersions, VersionTable } from './version-table.ts';

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const;

/** All columns but those that depend on the other sections. */
export type FilledColumns = Omit<IndexColumns, BlockColumn | 'advisoryItemBytes'>;

/** The columns to which each advisory adds an element as it comes. */
type AddedColumns = Pick<
  IndexColumns,
  ValueColumn | InstantColumn | 'advisoryProduct' | 'advisoryLabel' | 'advisoryTraits'
>;
const ADDED_COLUMNS = [
  ...VALUE_COLUMNS,
  'advisoryDisclosedAt',
  'advisoryCreatedAt',
  'advisoryModifiedAt',
  'advisoryProduct',
  'advisoryLabel',
  'advisoryTraits',
] as const satisfies readonly (keyof AddedColumns)[];
/** Of a product that its advisory names by its slug and number alone, as nearly all packages are. */
const PLAIN_LABEL = JSON.stringify([null, null, null] satisfies LabelTerm);

interface Renumberings {
  readonly terms: Renumbering;
  readonly traits: Renumbering;
  readonly products: Renumbering;
  readonly versions: Renumbering;
}

export class ColumnLayout {
  readonly #runCounts = new Uint32Array(RUN_COUNT);
  readonly #columns: AddedColumns;
  /** Of those, the columns of values. */
  readonly #values: readonly { readonly name: ValueColumn; readonly to: AddedColumns[ValueColumn] }[];
  readonly #origins: Origins;
  readonly #bodyAdvisory = new GrowableU32();
  readonly #epssAdvisory = new GrowableU32();
  readonly #epssScore = new GrowableU32();
  readonly #epssPercentile = new GrowableU32();
  readonly #kevAdvisory = new GrowableU32();
  readonly #kevDate = new GrowableU32();
  readonly #spanStart: Uint32Array;
  readonly #spanFrom = new GrowableU32();
  readonly #spanTo = new GrowableU32();
  readonly #spanToBound = new GrowableU8();
  readonly #spanFixedIn = new GrowableU32();
  readonly #numbers = new NumberTable();
  readonly #terms = new TermTable();
  readonly #traits = new TraitsTable(this.#terms);
  readonly #versions = new VersionTable();
  readonly #products = new ProductTable();
  readonly #aliases = new AliasLayout();
  readonly #sourceIds: SourceIdLayout;
  #renumbered: Renumberings | undefined;
  readonly fixes: FixCounts = { followed: 0, dropped: 0 };
  readonly #builtAt: number;

  /** For `count` advisories. `builtAt` in epoch seconds stands in for an unknown modification time. */
  constructor(count: number, builtAt: number) {
    const columns = ADDED_COLUMNS.map((name) => [name, new ARRAYS[COLUMNS[name].element](count)]);
    this.#columns = Object.fromEntries(columns) as AddedColumns; // each with the array type of its element
    const added = this.#columns;
    this.#values = VALUE_COLUMNS.map((name) => ({ name, to: added[name] }));
    this.#origins = { high: new Uint32Array(count), low: new Uint32Array(count) };
    this.#sourceIds = new SourceIdLayout(count);
    this.#spanStart = new Uint32Array(count + 1);
    this.#builtAt = builtAt;
  }

  /** Requires: ordinals ascending, each once. */
  add(ordinal: number, facts: Facts): void {
    const [values, instants, origin, traits, run, product, epss, kevDate, sourceId, aliases, spans] = facts;
    const [disclosedAt, createdAt, modifiedAt] = instants;
    const [typeCode, slug, productId, name, premiumName] = product;
    this.#runCounts[run]++;
    for (let i = 0; i < values.length; i++) this.#values[i].to[ordinal] = values[i];
    this.#addInstants(ordinal, disclosedAt, createdAt, modifiedAt ?? this.#builtAt); // null: of unknown age
    [this.#origins.high[ordinal], this.#origins.low[ordinal]] = origin;
    const productNumber = this.#products.intern(typeCode, slug);
    this.#columns.advisoryProduct[ordinal] = productNumber;
    this.#columns.advisoryLabel[ordinal] = this.#internLabel(productNumber, [productId, name, premiumName]);
    this.#columns.advisoryTraits[ordinal] = this.#traits.intern(traits);
    this.#addRareFacts(ordinal, epss, kevDate);
    const scheme = SCHEME_TABLE[this.#columns.advisoryScheme[ordinal]];
    for (const [from, to, toBound, fixedIn] of spans) {
      this.#spanFrom.push(from === null ? NONE : this.#versions.internBound(scheme, from));
      this.#spanTo.push(to === null ? NONE : this.#versions.internBound(scheme, to));
      this.#spanToBound.push(toBound);
      const isFix = fixedIn !== null && !isPlaceholder(fixedIn);
      this.#spanFixedIn.push(isFix ? this.#versions.intern(scheme, fixedIn) : NONE);
    }
    this.#spanStart[ordinal + 1] = this.#spanFrom.length;
    const pairs = aliases.map((alias) => this.#aliases.add(ordinal, alias));
    this.#sourceIds.add(ordinal, sourceId, pairs[0]);
  }

  /** As `add`, for an advisory of the previous snapshot with its ordinal there. */
  addKept(ordinal: number, previous: PreviousAdvisories, kept: number): void {
    const from = previous.columns;
    this.#renumbered ??= this.#renumberings(previous);
    const { terms, traits, products, versions } = this.#renumbered;
    const run = previous.runOf(kept);
    this.#runCounts[run]++;
    for (const { name, to } of this.#values) to[ordinal] = from[name][kept];
    this.#addInstants(
      ordinal,
      numberOf(from, from.advisoryDisclosedAt[kept]),
      numberOf(from, from.advisoryCreatedAt[kept]),
      numberOf(from, from.advisoryModifiedAt[kept]),
    );
    this.#origins.high[ordinal] = previous.origins.high[kept];
    this.#origins.low[ordinal] = previous.origins.low[kept];
    const oldProduct = from.advisoryProduct[kept];
    const product = products.of(oldProduct);
    const productId = previous.productId(oldProduct);
    const isSame = previous.hasShortLabel(kept) && this.#products.idOf(product, productId) === productId;
    this.#columns.advisoryProduct[ordinal] = product;
    this.#columns.advisoryLabel[ordinal] = isSame
      ? terms.of(from.advisoryLabel[kept])
      : this.#internLabel(product, previous.labelOf(kept));
    this.#columns.advisoryTraits[ordinal] = traits.of(from.advisoryTraits[kept]);
    this.#addRareFacts(ordinal, epssOf(from, kept) ?? null, kevDayOf(from, kept) ?? null);
    for (let span = firstSpan(from, kept); span < endOfSpans(from, kept); span++) {
      const [low, high, fix] = [from.spanFrom[span], from.spanTo[span], from.spanFixedIn[span]];
      this.#spanFrom.push(low === NONE ? NONE : versions.of(low));
      this.#spanTo.push(high === NONE ? NONE : versions.of(high));
      this.#spanToBound.push(from.spanToBound[span]);
      this.#spanFixedIn.push(fix === NONE ? NONE : versions.of(fix));
    }
    this.#spanStart[ordinal + 1] = this.#spanFrom.length;
    let sourceIdPair = NONE;
    for (const alias of previous.aliases.of(kept)) {
      const bytes = from.aliasText.subarray(from.aliasStart[alias], from.aliasStart[alias + 1]);
      const pair = this.#aliases.addBytes(ordinal, bytes);
      if (alias === from.advisorySourceId[kept]) sourceIdPair = pair;
    }
    this.#sourceIds.addKept(ordinal, from, kept, sourceIdPair);
  }

  #addInstants(ordinal: number, disclosedAt: number, createdAt: number, modifiedAt: number): void {
    this.#columns.advisoryDisclosedAt[ordinal] = this.#numbers.elementOf(disclosedAt);
    this.#columns.advisoryCreatedAt[ordinal] = this.#numbers.elementOf(createdAt);
    this.#columns.advisoryModifiedAt[ordinal] = this.#numbers.elementOf(modifiedAt);
  }

  #internLabel(product: number, [id, name, premiumName]: FullLabel): number {
    const isOwn = this.#products.idOf(product, id) === id;
    const isPlain = isOwn && name === null && premiumName === null;
    const label: LabelTerm = [isOwn ? null : id, name, premiumName];
    return this.#terms.intern(isPlain ? PLAIN_LABEL : JSON.stringify(label));
  }

  /** Numbers of the previous snapshot to those of these tables. */
  #renumberings(previous: PreviousAdvisories): Renumberings {
    const { columns } = previous;
    const { productType, versionTextStart, versionSchemeStart } = columns;
    const terms = new Renumbering(columns.termStart.length - 1, (term) =>
      this.#terms.internBytes(previous.termBytes(term)),
    );
    const schemeOf = (version: number): SchemeFacts =>
      SCHEME_TABLE[partitionPoint(0, SCHEME_TABLE.length, (i) => versionSchemeStart[i + 1] > version)];
    return {
      terms,
      traits: new Renumbering(columns.traitsVulnType.length, (traits) =>
        this.#traits.internTerms(TRAIT_COLUMNS.map((name) => terms.of(columns[name][traits]))),
      ),
      products: new Renumbering(productType.length, (product) =>
        this.#products.intern(productType[product], previous.slug(product)),
      ),
      versions: new Renumbering(versionTextStart.length - 1, (version) =>
        this.#versions.internKeyed(
          schemeOf(version),
          previous.versionText(version),
          previous.versionKey(version),
        ),
      ),
    };
  }

  #addRareFacts(ordinal: number, epss: EpssRating | null, kevDate: number | null): void {
    if (hasBody(this.#columns.advisoryFlags[ordinal])) this.#bodyAdvisory.push(ordinal);
    if (epss !== null) {
      this.#epssAdvisory.push(ordinal);
      this.#epssScore.push(epss.score);
      this.#epssPercentile.push(epss.percentile);
    }
    if (kevDate !== null) {
      this.#kevAdvisory.push(ordinal);
      this.#kevDate.push(kevDate);
    }
  }

  finish(): { readonly columns: FilledColumns; readonly origins: Origins } {
    const versions = this.#versions.sort();
    const spans = this.#finishSpans(versions);
    const products = this.#products.sort(this.#numbers);
    const advisoryProduct = this.#columns.advisoryProduct.map((number) => products.rowOf[number]);
    const runCounts = this.#runCounts;
    const published = publishedCount({ runCounts });
    const { advisoryScheme, advisoryPsid } = this.#columns;
    const aliases = this.#aliases.lay();
    const columns = {
      runCounts,
      ...this.#columns,
      ...this.#traits.columns(),
      advisoryProduct,
      ...this.#sourceIds.columns(aliases.rowOf),
      ...spans,
      ...versions.columns,
      ...this.#terms.columns(),
      ...products.columns,
      ...layOutProducts({
        productType: products.columns.productType,
        published,
        advisoryProduct,
        advisoryScheme,
        ...spans,
        versions,
      }),
      fixCounts: Uint32Array.of(this.fixes.followed, this.fixes.dropped),
      createdOrder: this.#createdOrder(),
      psidOrder: ordinalsBy(0, advisoryPsid.length, advisoryPsid),
      ...aliases.columns,
      wideNumber: this.#numbers.column(), // after all that may be wide
      bodyAdvisory: this.#bodyAdvisory.view(),
      epssAdvisory: this.#epssAdvisory.view(),
      epssScore: this.#epssScore.view(),
      epssPercentile: this.#epssPercentile.view(),
      kevAdvisory: this.#kevAdvisory.view(),
      kevDate: this.#kevDate.view(),
    };
    return { columns, origins: this.#origins };
  }

  /** Renumbers versions, sorts each advisory's spans, follows their fixes and stores equal lists once. */
  #finishSpans({
    rowOf,
    keyRank,
    unboundedRows,
    columns,
  }: SortedVersions): ReturnType<typeof shareSpanLists> {
    const row = (number: number): number => (number === NONE ? NONE : rowOf[number]);
    const spanFrom = this.#spanFrom.view().map(row);
    const spanTo = this.#spanTo.view().map(row);
    const spanToBound = this.#spanToBound.view();
    const spanFixedIn = this.#spanFixedIn.view().map(row);
    const rank = (version: number): number | null => (version === NONE ? null : keyRank[version]);
    const rankCount = keyRank.length === 0 ? 0 : keyRank[keyRank.length - 1] + 1;
    const low = (span: number): number => {
      const from = spanFrom[span];
      return lowPosition(unboundedRows.has(from) ? null : rank(from));
    };
    const high = (span: number): number =>
      highPosition(rank(spanTo[span]), upperBoundOf(spanToBound[span]), rankCount);
    const { versionKeyStart } = columns;
    const positionOf = (version: number): number | undefined =>
      versionKeyStart[version + 1] === versionKeyStart[version] ? undefined : lowPosition(keyRank[version]);
    const starts = this.#spanStart;
    for (let advisory = 0; advisory + 1 < starts.length; advisory++) {
      const first = starts[advisory];
      const last = starts[advisory + 1];
      if (last - first > 1) {
        const order = Array.from({ length: last - first }, (_, i) => first + i).sort(
          (a, b) => low(a) - low(b) || high(a) - high(b) || a - b,
        );
        for (const column of [spanFrom, spanTo, spanToBound, spanFixedIn]) {
          column.set(
            order.map((span) => column[span]),
            first,
          );
        }
      }
      const { followed, dropped } = this.fixes;
      followFixes(spanFixedIn, { first, last, low, high, positionOf }, this.fixes);
      if (this.fixes.followed === followed && this.fixes.dropped === dropped) continue;
      // The snapshot does not have its spans as they came, so it cannot be kept for another snapshot.
      this.#origins.high[advisory] = 0;
      this.#origins.low[advisory] = 0;
    }
    return shareSpanLists(starts, { spanFrom, spanTo, spanToBound, spanFixedIn });
  }

  /** Published ordinals by ascending created_at, platform by platform. */
  #createdOrder(): Uint32Array {
    const runs = { runCounts: this.#runCounts };
    const order = new Uint32Array(publishedCount(runs));
    const created = numbersOf({ wideNumber: this.#numbers.column() }, this.#columns.advisoryCreatedAt);
    PLATFORMS.forEach((_, run) => {
      const { start, end } = runAt(runs, run);
      order.set(ordinalsBy(start, end, created), start);
    });
    return order;
  }
}

/** Added to instants, which may be before 1970, and to PSIDs, of 48 bits. */
const ABOVE_NEGATIVE = 2 ** 40;

/** Ordinals first..last by ascending value, then by ordinal. */
function ordinalsBy(first: number, last: number, values: Uint32Array | Float64Array): Uint32Array {
  return sortByWords(
    first,
    last,
    (ordinal, round) => wordOfNumber(values[ordinal] + ABOVE_NEGATIVE, round),
    (a, b) => values[a] - values[b],
  );
}
