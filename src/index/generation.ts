// One loaded snapshot, immutable: a few large buffers and a constant number of objects, and the questions
// that may be asked of them. What a thread remembers between questions is memory/thread-memory.ts. The parts
// are plain data over shared memory, so another thread can make its own Generation from the same bytes.

import { versionText } from './column-texts.ts';
import { type IndexColumns, NONE, numberOf, type TraitColumn } from './columns.ts';
import type { RecordSource } from './items/detail-record.ts';
import type { LabelTerm, ListItems, TraitValues } from './items/list-item.ts';
import { type ItemSource, PreparedItems } from './items/prepared-items.ts';
import { advisoriesOfAlias, findAlias, findPsid, normaliseAlias, parsePsid } from './lookup/alias-table.ts';
import { type Explanation, explain } from './lookup/explain.ts';
import { findId, publishedCount, publishedRun, type Stretch } from './lookup/id-list.ts';
import { type LatestWindow, type LatestWindows, newestCreatedMs } from './lookup/latest-window.ts';
import { any, collect, type Located, type LocateResult, type Locator } from './lookup/locate.ts';
import type { Matches } from './lookup/matches.ts';
import { productsNamedLike } from './lookup/product-names.ts';
import { findAscii, findProduct, hashOfAscii, hashOfName } from './lookup/product-table.ts';
import { readAhead } from './lookup/read-ahead.ts';
import { isEqualSourceId, sourceIdOf } from './lookup/source-id.ts';
import { findUpdate } from './lookup/update.ts';
import { type Platform, type ProductType, productTypeFacts } from './product-type.ts';

export interface GenerationParts {
  /** First 16 hex digits of the snapshot's content hash. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly builtAtMs: number;
  readonly columns: IndexColumns;
  readonly items: ListItems;
  readonly productRows: Uint32Array;
  readonly productSlots: Uint32Array;
  readonly looseSlots: Uint32Array;
  readonly boundPrefix: Float64Array;
  /** Published advisories by product type. */
  readonly typeCounts: Readonly<Record<ProductType, number>>;
}

/** Is told of look-ups, on the path of every request: an implementation only counts. */
export interface LookupTap {
  /** Once for each version of a known product, and once, without one, for each list of all its advisories. */
  lookedUp(product: number, version?: string): void;
}

/** The row of a product, and the version asked for; undefined for any. */
export type CountedLookup = readonly [product: number, version: string | undefined];

export class Generation {
  readonly parts: GenerationParts;
  readonly records: RecordSource & ItemSource;
  readonly items: PreparedItems;
  readonly #tap: LookupTap | undefined;

  /** `keepsItems`: see PreparedItems. */
  constructor(
    parts: GenerationParts,
    records: RecordSource & ItemSource,
    { tap, keepsItems = true }: { readonly tap?: LookupTap; readonly keepsItems?: boolean } = {},
  ) {
    this.parts = parts;
    this.records = records;
    this.items = new PreparedItems(parts.items, records, keepsItems);
    this.#tap = tap;
  }

  /** The same data, for one answer: what is looked up for it is also added to the list. */
  tappedBy(lookups: CountedLookup[]): Generation {
    const lookedUp = (product: number, version?: string): void => {
      lookups.push([product, version]);
      this.#tap?.lookedUp(product, version);
    };
    return new Generation(this.parts, this.records, { tap: { lookedUp } });
  }

  get id(): string {
    return this.parts.id;
  }

  /** All advisories, withdrawn ones included. */
  get advisoryCount(): number {
    return this.parts.columns.advisoryId.length;
  }

  get publishedCount(): number {
    return publishedCount(this.parts.columns);
  }

  /** A platform's published advisories as ordinals, by descending id. */
  published(platform: Platform): Stretch {
    return publishedRun(this.parts.columns, platform);
  }

  /** The advisories inserted within the 24 hours before the anchor. */
  latest(platform: Platform, anchorMs: number, windows: LatestWindows): LatestWindow {
    return windows.at(this.parts.columns, platform, anchorMs);
  }

  newestCreatedMs(): number {
    return newestCreatedMs(this.parts.columns);
  }

  /** Whether there is no advisory of the type at all: what is asked about its products, nobody knows. */
  isWithoutData(type: ProductType): boolean {
    return this.parts.typeCounts[type] === 0;
  }

  /** The row of the product that a name means; undefined when there is none. */
  findProduct(type: ProductType, name: string): number | undefined {
    return findProduct(this.parts, productTypeFacts(type), name);
  }

  /** `findProduct` for a name of ASCII that is bytes[start..end): for many names in one body. */
  findProductAscii(type: ProductType, bytes: Uint8Array, start: number, end: number): number | undefined {
    return findAscii(this.parts, productTypeFacts(type), bytes, start, end);
  }

  /**
   * Makes looking up many products cheaper: to be called before each of `total`, in order. `hashAt` is
   * `hashOfName` or `hashOfAscii` of one of them.
   */
  readAhead(at: number, total: number, hashAt: (at: number) => number): void {
    readAhead(this.parts, at, total, hashAt);
  }

  hashOfName(type: ProductType, name: string): number {
    return hashOfName(this.parts, productTypeFacts(type), name);
  }

  /** `hashOfName` for a name of ASCII that is bytes[start..end). */
  hashOfAscii(type: ProductType, bytes: Uint8Array, start: number, end: number): number {
    return hashOfAscii(this.parts, productTypeFacts(type), bytes, start, end);
  }

  /**
   * The rows of products of a type whose names begin with the prefix: the one that is it, then those with the
   * most advisories.
   */
  productsNamedLike(type: ProductType, prefix: string, limit: number): readonly number[] {
    return productsNamedLike(this.parts.columns, productTypeFacts(type), prefix, limit);
  }

  /** Every published advisory of a product, ordinals ascending. */
  advisoriesOf(product: number): Uint32Array {
    this.#tap?.lookedUp(product);
    const { productAdvisory, productAdvisoryStart } = this.parts.columns;
    return productAdvisory.subarray(productAdvisoryStart[product], productAdvisoryStart[product + 1]);
  }

  /** How many there are, which is not a look-up: for lists of products. */
  advisoryCountOf(product: number): number {
    const { productAdvisoryStart } = this.parts.columns;
    return productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  }

  /**
   * The first step of a lookup: where a version lies among the bounds of its product's advisories. The
   * methods below ask what applies there. Whether the text is a version does not depend on whether the
   * product is known. The place is valid until the locator's next call.
   */
  locate(type: ProductType, name: string, version: string, locator: Locator): LocateResult {
    return this.locateIn(type, this.findProduct(type, name), version, locator);
  }

  /** `locate` in a product that was found before; undefined for an unknown one. */
  locateIn(type: ProductType, product: number | undefined, version: string, locator: Locator): LocateResult {
    this.countLookup(product, version);
    return locator.locate(this.parts, productTypeFacts(type), product, version);
  }

  /** For a look-up whose place was remembered. */
  countLookup(product: number | undefined, version?: string): void {
    if (product !== undefined) this.#tap?.lookedUp(product, version);
  }

  /** Whether any advisory applies. */
  any(place: Located): boolean {
    return any(this.parts.columns, place);
  }

  /** Fills `matches` with the advisories that apply. */
  collect(place: Located, matches: Matches): void {
    collect(this.parts.columns, place, matches);
  }

  /**
   * The version to update to, as a row: of the versions named in the product's data (as a bound or a fix),
   * the lowest that is not below the given one and to which no published advisory applies. Undefined when
   * there is none.
   */
  findUpdate(place: Located): number | undefined {
    return findUpdate(this.parts.columns, place);
  }

  /**
   * Why a lookup answers what it does, for each advisory of the product; undefined when the text is not a
   * version. Overwrites `matches`.
   */
  explain(
    type: ProductType,
    name: string,
    version: string,
    { locator, matches }: { readonly locator: Locator; readonly matches: Matches },
  ): Explanation | undefined {
    const place = this.locate(type, name, version, locator);
    if (place.kind === 'not-a-version') return undefined;
    this.collect(place, matches);
    const lookup = { type: productTypeFacts(type), product: this.findProduct(type, name), version };
    return explain(this.parts.columns, lookup, place, matches);
  }

  /** The text of a version row, as in the feed. */
  versionText(row: number): string {
    return versionText(this.parts.columns, row);
  }

  /** The ordinal of a numeric id, withdrawn ones included. */
  findId(id: number): number | undefined {
    return findId(this.parts.columns, id);
  }

  /**
   * The ordinals for a non-numeric id: one for a PSID, any number for a CVE or GHSA id. Withdrawn advisories
   * are left out when a published one has the same alias.
   */
  findNamed(text: string): readonly number[] {
    const { columns } = this.parts;
    const psid = parsePsid(text);
    const ordinal = psid === undefined ? undefined : findPsid(columns, psid);
    if (ordinal !== undefined) return [ordinal];
    const found = findAlias(columns, normaliseAlias(text));
    if (found.length === 0) return [];
    const named = Array.from(found);
    const published = named.filter((each) => each < this.publishedCount);
    return published.length > 0 ? published : named;
  }

  /** The id under which the source publishes the advisory, as published, or ''. */
  sourceIdAt(ordinal: number): string {
    return sourceIdOf(this.parts.columns, ordinal);
  }

  /**
   * The advisories that their source publishes as one record, one for each product: all with the source id of
   * this one, withdrawn ones included, ordinals ascending. Without a source id, this one alone.
   */
  siblingsOf(ordinal: number): readonly number[] {
    const { columns } = this.parts;
    const alias = columns.advisorySourceId[ordinal];
    if (alias === NONE) return [ordinal];
    const siblings = Array.from(advisoriesOfAlias(columns, alias)).filter(
      (each) => each === ordinal || isEqualSourceId(columns, each, columns, ordinal),
    );
    // Whether the table of aliases lacks the advisory is checked only behind the swap.
    return siblings.includes(ordinal) ? siblings : [ordinal];
  }

  idAt(ordinal: number): number {
    return this.parts.columns.advisoryId[ordinal];
  }

  /** Epoch seconds. */
  disclosedAt(ordinal: number): number {
    const { columns } = this.parts;
    return numberOf(columns, columns.advisoryDisclosedAt[ordinal]);
  }

  /** Epoch seconds. */
  createdAt(ordinal: number): number {
    const { columns } = this.parts;
    return numberOf(columns, columns.advisoryCreatedAt[ordinal]);
  }

  /** The product as the advisory names it. */
  labelAt(ordinal: number): LabelTerm {
    return this.records.termAt(this.parts.columns.advisoryLabel[ordinal]) as LabelTerm; // of that shape, as above
  }

  /** What the advisory has in common with others, decoded by `terms`. */
  traitAt<Name extends TraitColumn>(
    trait: Name,
    ordinal: number,
    terms: Pick<RecordSource, 'termAt'> = this.records,
  ): TraitValues[Name] {
    const { columns } = this.parts;
    const term = columns[trait][columns.advisoryTraits[ordinal]];
    return terms.termAt(term) as TraitValues[Name]; // the loader checked its shape
  }
}
