// The immutable bundle one snapshot becomes: a few large buffers, a constant number of objects. The parts are
// plain data over shared memory, so that another thread can make its own Generation of the same bytes.

import { findAlias, findPsid, normaliseAlias, parsePsid } from './alias-table.ts';
import { AnswerCache } from './answer-cache.ts';
import type { IndexColumns } from './columns.ts';
import type { RecordSource } from './detail-record.ts';
import { findId, publishedRun, type Stretch } from './id-list.ts';
import { isStabbed, positionOf, stab } from './interval-index.ts';
import { type LatestWindow, LatestWindows } from './latest-window.ts';
import type { ListItems } from './list-item.ts';
import type { Matches } from './matches.ts';
import { findProduct } from './product-table.ts';
import { type Platform, PRODUCT_TYPES, type ProductType } from './product-type.ts';
import { OwnArea } from './shared-memory.ts';
import {
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  VERSION_SCHEMES,
  type VersionScheme,
  writeVersionKey,
} from './version-key.ts';

export interface GenerationParts {
  /** First 16 hex digits of the snapshot's content hash. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly builtAtMs: number;
  readonly columns: IndexColumns;
  readonly items: ListItems;
  readonly productSlots: Uint32Array;
  /** Published advisories by product type. */
  readonly typeCounts: Readonly<Record<ProductType, number>>;
}

/** A stretch of versions without a bound between them, or one bound: an answer holds for all of it. */
export interface Segment {
  readonly group: number;
  /** In the numbering of interval.ts. */
  readonly position: number;
  /** Its place among all segments of the generation. */
  readonly number: number;
}

/** A page of 500 items, some 420 KB, ten times over; a longer one takes the slower way. */
const AREA_BYTES = 4 << 20;
const versionKeyScratch = new Uint8Array(MAX_KEY_BYTES);

export class Generation {
  readonly parts: GenerationParts;
  readonly records: RecordSource;
  /** Answers to lookups, by number of the segment. */
  readonly lookups = new AnswerCache();
  /** Pages of single advisories, by ordinal. */
  readonly pages = new AnswerCache();
  readonly #windows: LatestWindows;
  #area: OwnArea | undefined | 'untaken' = 'untaken';

  constructor(parts: GenerationParts, records: RecordSource) {
    this.parts = parts;
    this.records = records;
    this.#windows = new LatestWindows(parts.columns);
  }

  /** Where this thread puts pages together; undefined when there is no room for it. */
  get area(): OwnArea | undefined {
    if (this.#area === 'untaken') this.#area = OwnArea.take(this.parts.items.memory, AREA_BYTES);
    return this.#area;
  }

  get id(): string {
    return this.parts.id;
  }

  /** All advisories, the withdrawn ones too. */
  get advisoryCount(): number {
    return this.parts.columns.advisoryId.length;
  }

  get publishedCount(): number {
    const { runCounts } = this.parts.columns;
    return runCounts[0] + runCounts[1];
  }

  /** The ordinals of a platform's published advisories, by descending id. */
  published(platform: Platform): Stretch {
    return publishedRun(this.parts.columns, platform);
  }

  /** The advisories inserted within the 24 hours before the anchor. */
  latest(platform: Platform, anchorMs: number): LatestWindow {
    return this.#windows.at(platform, anchorMs);
  }

  newestCreatedMs(): number {
    return this.#windows.newestCreatedMs();
  }

  /** WordPress slugs are found in any case; npm names as published, else lower-cased. */
  findProduct(type: ProductType, name: string): number | undefined {
    const { columns, productSlots } = this.parts;
    const typeCode = PRODUCT_TYPES.indexOf(type);
    const isNpm = type === 'npm';
    const product = findProduct(columns, productSlots, typeCode, name, isNpm ? 'as-is' : 'lower');
    return product === undefined && isNpm && name.toLowerCase() !== name
      ? findProduct(columns, productSlots, typeCode, name, 'lower')
      : product;
  }

  /** Every published advisory of a product, ordinals ascending. */
  advisoriesOf(product: number): Uint32Array {
    const { productAdvisory, productAdvisoryStart } = this.parts.columns;
    return productAdvisory.subarray(productAdvisoryStart[product], productAdvisoryStart[product + 1]);
  }

  /**
   * Fills `matches` with the advisories that apply. False when the string is no version under any scheme of the
   * product. A product without published advisories has no scheme that a version could violate: nothing applies.
   */
  match(type: ProductType, name: string, version: string, matches: Matches): boolean {
    const { columns } = this.parts;
    matches.clear();
    const product = this.findProduct(type, name);
    const isVersion = this.#eachGroup(type, product, version, (group, keyLength) => {
      this.#stab(group, positionOf(columns, group, versionKeyScratch, keyLength), matches);
      return false;
    });
    matches.settle();
    return isVersion !== undefined;
  }

  /**
   * Where the version stands, for a product whose versions are all of one scheme. Undefined for another product, for
   * an unknown one, and for a text that the scheme cannot order: `match` answers those.
   */
  findSegment(type: ProductType, name: string, version: string): Segment | undefined {
    const { columns } = this.parts;
    const { productGroupStart, groupScheme, groupBoundStart } = columns;
    const product = this.findProduct(type, name);
    if (product === undefined || version === '') return undefined;
    const group = productGroupStart[product];
    if (productGroupStart[product + 1] !== group + 1) return undefined;
    const keyLength = keyLengthOf(VERSION_SCHEMES[groupScheme[group]], version);
    if (keyLength < 0) return undefined;
    const position = positionOf(columns, group, versionKeyScratch, keyLength);
    // A group with b bounds has 2b + 1 segments.
    return { group, position, number: 2 * groupBoundStart[group] + group + position };
  }

  /** Fills `matches` with the advisories that apply to the versions of a segment. */
  matchSegment({ group, position }: Segment, matches: Matches): void {
    matches.clear();
    this.#stab(group, position, matches);
    matches.settle();
  }

  /** Whether any advisory applies; undefined when the string is no version, by the rule of `match`. */
  isVulnerable(type: ProductType, name: string, version: string): boolean | undefined {
    const { columns } = this.parts;
    return this.#eachGroup(type, this.findProduct(type, name), version, (group, keyLength) =>
      isStabbed(columns, group, positionOf(columns, group, versionKeyScratch, keyLength)),
    );
  }

  /** The ordinal of a numeric id, withdrawn ones included. */
  findId(id: number): number | undefined {
    return findId(this.parts.columns, id);
  }

  /**
   * The ordinals an id in words names: one for a PSID, any number for a CVE or GHSA id. A withdrawn advisory
   * does not stand in the way of a published one with the same CVE.
   */
  findNamed(text: string): readonly number[] {
    const { columns } = this.parts;
    const psid = parsePsid(text);
    const ordinal = psid === undefined ? undefined : findPsid(columns, psid);
    if (ordinal !== undefined) return [ordinal];
    const named = Array.from(findAlias(columns, normaliseAlias(text)));
    const published = named.filter((each) => each < columns.runCounts[0] + columns.runCounts[1]);
    return published.length > 0 ? published : named;
  }

  #stab(group: number, position: number, matches: Matches): void {
    const { columns } = this.parts;
    const { groupIntervalStart } = columns;
    stab(columns, groupIntervalStart[group], groupIntervalStart[group + 1], position, matches);
  }

  idAt(ordinal: number): number {
    return this.parts.columns.advisoryId[ordinal];
  }

  /**
   * Puts the version's key under each scheme of the product into the scratch and asks `visit`, until one says
   * true. Returns whether one did, or undefined when the string is no version.
   */
  #eachGroup(
    type: ProductType,
    product: number | undefined,
    version: string,
    visit: (group: number, keyLength: number) => boolean,
  ): boolean | undefined {
    const { productGroupStart, groupScheme } = this.parts.columns;
    const first = product === undefined ? 0 : productGroupStart[product];
    const last = product === undefined ? 0 : productGroupStart[product + 1];
    if (first === last) return false;
    // Every text but the empty one is a WordPress version, also where a scheme cannot order it.
    let isVersion = type !== 'npm' && version !== '' && version.length <= MAX_VERSION_BYTES;
    for (let group = first; group < last; group++) {
      const keyLength = version === '' ? -1 : keyLengthOf(VERSION_SCHEMES[groupScheme[group]], version);
      if (keyLength < 0) continue;
      isVersion = true;
      if (visit(group, keyLength)) return true;
    }
    return isVersion ? false : undefined;
  }
}

function keyLengthOf(scheme: VersionScheme, version: string): number {
  return writeVersionKey(scheme, version, versionKeyScratch);
}
