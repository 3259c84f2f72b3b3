// The immutable bundle one snapshot becomes: a few large buffers, a constant number of objects. The parts are
// plain data over shared memory, so that another thread can make its own Generation of the same bytes.

import type { IndexColumns } from './columns.ts';
import type { RecordSource } from './items/detail-record.ts';
import type { ListItems } from './items/list-item.ts';
import { findAlias, findPsid, normaliseAlias, parsePsid } from './lookup/alias-table.ts';
import { findId, publishedCount, publishedRun, type Stretch } from './lookup/id-list.ts';
import { isStabbed, positionOf, stab } from './lookup/interval-index.ts';
import { type LatestWindow, LatestWindows } from './lookup/latest-window.ts';
import type { Matches } from './lookup/matches.ts';
import { findProduct } from './lookup/product-table.ts';
import { partitionPoint } from './lookup/search.ts';
import { AnswerCache } from './memory/answer-cache.ts';
import { compareBytes } from './memory/bytes.ts';
import { OwnArea } from './memory/shared-memory.ts';
import {
  isVersionOf,
  type Platform,
  type ProductType,
  type ProductTypeFacts,
  productTypeFacts,
} from './product-type.ts';
import {
  compareKeys,
  hasLetterOrDigit,
  MAX_KEY_BYTES,
  SCHEME_TABLE,
  versionKey,
  writeKeyOfScheme,
} from './versions/version-key.ts';

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
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
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
    return publishedCount(this.parts.columns);
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

  /** By each of the type's spellings: WordPress slugs in any case; npm names as published, else lower-cased. */
  findProduct(type: ProductType, name: string): number | undefined {
    return this.#findProduct(productTypeFacts(type), name);
  }

  #findProduct({ code, slugFolds }: ProductTypeFacts, name: string): number | undefined {
    const { columns, productSlots } = this.parts;
    for (let i = 0; i < slugFolds.length; i++) {
      const fold = slugFolds[i];
      if (i > 0 && fold(name) === name) continue;
      const product = findProduct(columns, productSlots, code, name, fold);
      if (product !== undefined) return product;
    }
    return undefined;
  }

  /** Every published advisory of a product, ordinals ascending. */
  advisoriesOf(product: number): Uint32Array {
    const { productAdvisory, productAdvisoryStart } = this.parts.columns;
    return productAdvisory.subarray(productAdvisoryStart[product], productAdvisoryStart[product + 1]);
  }

  /** Fills `matches` with the advisories that apply. False when the text is not a version of the type. */
  match(type: ProductType, name: string, version: string, matches: Matches): boolean {
    const { columns } = this.parts;
    matches.clear();
    const facts = productTypeFacts(type);
    const product = this.#findProduct(facts, name);
    const isVersion = this.#eachGroup(facts, product, version, (group, keyLength) => {
      this.#stab(group, positionOf(columns, group, versionKeyScratch, keyLength), matches);
      return false;
    });
    matches.settle();
    return isVersion !== undefined;
  }

  /**
   * Where the version stands, for a product whose versions are all of one scheme. Undefined for another product, for
   * an unknown one, and for a text that is not a version: `match` answers those.
   */
  findSegment(type: ProductType, name: string, version: string): Segment | undefined {
    const { columns } = this.parts;
    const { productGroupStart, groupScheme, groupBoundStart } = columns;
    const facts = productTypeFacts(type);
    const product = this.#findProduct(facts, name);
    if (product === undefined || !isPlausible(facts, version)) return undefined;
    const group = productGroupStart[product];
    if (productGroupStart[product + 1] !== group + 1) return undefined;
    const keyLength = keyLengthOf(groupScheme[group], version);
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

  /** Whether any advisory applies; undefined when the text is not a version of the type. */
  isVulnerable(type: ProductType, name: string, version: string): boolean | undefined {
    const { columns } = this.parts;
    const facts = productTypeFacts(type);
    return this.#eachGroup(facts, this.#findProduct(facts, name), version, (group, keyLength) =>
      isStabbed(columns, group, positionOf(columns, group, versionKeyScratch, keyLength)),
    );
  }

  /**
   * The version to update to, as a row: the lowest that the product's data names (as a bound or a fix) which is not
   * below the asked one and to which no published advisory applies. Undefined when there is none, also for an unknown
   * product and a text that is not a version.
   */
  findUpdate(type: ProductType, name: string, version: string): number | undefined {
    const { columns } = this.parts;
    const { groupClearStart, clearVersion, versionKeyStart, versionKey } = columns;
    const facts = productTypeFacts(type);
    let found: number | undefined;
    this.#eachGroup(facts, this.#findProduct(facts, name), version, (group, keyLength) => {
      const last = groupClearStart[group + 1];
      const reached = partitionPoint(groupClearStart[group], last, (i) => {
        const row = clearVersion[i];
        return (
          compareBytes(
            versionKey,
            versionKeyStart[row],
            versionKeyStart[row + 1],
            versionKeyScratch,
            0,
            keyLength,
          ) >= 0
        );
      });
      if (reached < last) found = this.#lowerUpdate(facts, found, clearVersion[reached]);
      return false;
    });
    return found;
  }

  /** Which of two versions is the lower one, by the scheme that products of the type have by default. */
  #lowerUpdate({ scheme }: ProductTypeFacts, a: number | undefined, b: number): number {
    if (a === undefined) return b;
    const [keyA, keyB] = [a, b].map((row) => versionKey(scheme, this.versionText(row)));
    return keyA === undefined || keyB === undefined || compareKeys(keyA, keyB) <= 0 ? a : b;
  }

  /** The text of a version's row, as the feed has it. */
  versionText(row: number): string {
    const { versionText, versionTextStart } = this.parts.columns;
    return utf8.decode(versionText.slice(versionTextStart[row], versionTextStart[row + 1])); // no shared memory
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
    const published = named.filter((each) => each < this.publishedCount);
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
   * true. Returns whether one did, or undefined when the text is not a version. That is judged by the type alone, so
   * that the same question has the same status for known and unknown products.
   */
  #eachGroup(
    type: ProductTypeFacts,
    product: number | undefined,
    version: string,
    visit: (group: number, keyLength: number) => boolean,
  ): boolean | undefined {
    const { productGroupStart, groupScheme } = this.parts.columns;
    if (!isPlausible(type, version)) return undefined;
    const first = product === undefined ? 0 : productGroupStart[product];
    const last = product === undefined ? 0 : productGroupStart[product + 1];
    if (first === last) return isVersionOf(type.name, version) ? false : undefined;
    for (let group = first; group < last; group++) {
      const keyLength = keyLengthOf(groupScheme[group], version);
      if (keyLength >= 0) {
        if (visit(group, keyLength)) return true;
      } else if (type.isStrict || !SCHEME_TABLE[groupScheme[group]].isStrict) {
        return undefined;
      }
      // Else a strict scheme under a type that takes any text: it is a version, and nothing in this group holds it.
    }
    return false;
  }
}

/** A cheap look at what every version has; a strict scheme looks for itself. */
function isPlausible({ isStrict }: ProductTypeFacts, version: string): boolean {
  return isStrict || hasLetterOrDigit(version);
}

function keyLengthOf(schemeCode: number, version: string): number {
  return writeKeyOfScheme(schemeCode, version, versionKeyScratch);
}
