// One loaded snapshot, immutable: a few large buffers and a constant number of objects. The parts are plain data
// over shared memory, so another thread can make its own Generation from the same bytes.

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

/** One bound, or the versions between two bounds: they all get the same answer. */
export interface Segment {
  readonly group: number;
  /** As numbered in interval.ts. */
  readonly position: number;
  /** Unique among all segments of the generation. */
  readonly number: number;
}

/** Ten times a page of 500 items (about 420 KB); longer answers take the slower path. */
const AREA_BYTES = 4 << 20;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const versionKeyScratch = new Uint8Array(MAX_KEY_BYTES);

export class Generation {
  readonly parts: GenerationParts;
  readonly records: RecordSource;
  /** Answers to lookups, by segment number. */
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

  /** Where this thread assembles pages; undefined when there is no space for one. */
  get area(): OwnArea | undefined {
    if (this.#area === 'untaken') this.#area = OwnArea.take(this.parts.items.memory, AREA_BYTES);
    return this.#area;
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
  latest(platform: Platform, anchorMs: number): LatestWindow {
    return this.#windows.at(platform, anchorMs);
  }

  newestCreatedMs(): number {
    return this.#windows.newestCreatedMs();
  }

  /** Tries each of the type's spellings: WordPress slugs match in any case; npm names as given, then lower-cased. */
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
   * The segment a version falls into, for a product with a single version scheme. Undefined for any other product, for
   * an unknown one, and for a text that is not a version: use `match` for those.
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

  /** Fills `matches` with the advisories that apply to a segment. */
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
   * The version to update to, as a row: of the versions named in the product's data (as a bound or a fix), the lowest
   * that is not below the given one and to which no published advisory applies. Undefined when there is none, and for
   * an unknown product or a text that is not a version.
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

  /** Which of two versions is lower under the type's default scheme. */
  #lowerUpdate({ scheme }: ProductTypeFacts, a: number | undefined, b: number): number {
    if (a === undefined) return b;
    const [keyA, keyB] = [a, b].map((row) => versionKey(scheme, this.versionText(row)));
    return keyA === undefined || keyB === undefined || compareKeys(keyA, keyB) <= 0 ? a : b;
  }

  /** The text of a version row, as in the feed. */
  versionText(row: number): string {
    const { versionText, versionTextStart } = this.parts.columns;
    return utf8.decode(versionText.slice(versionTextStart[row], versionTextStart[row + 1])); // copied: not shared
  }

  /** The ordinal of a numeric id, withdrawn ones included. */
  findId(id: number): number | undefined {
    return findId(this.parts.columns, id);
  }

  /**
   * The ordinals for a non-numeric id: one for a PSID, any number for a CVE or GHSA id. Withdrawn advisories are
   * left out when a published one has the same alias.
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
   * Writes the version's key under each scheme of the product into the scratch and calls `visit`, until a call returns
   * true. Returns whether one did, or undefined when the text is not a version. That depends on the type alone, so the
   * same request gets the same status for known and unknown products.
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
      // No key: a strict scheme under a type that accepts any text. It is a version, but no interval of this group holds it.
    }
    return false;
  }
}

/** A cheap check for what every version has; a strict scheme does its own. */
function isPlausible({ isStrict }: ProductTypeFacts, version: string): boolean {
  return isStrict || hasLetterOrDigit(version);
}

function keyLengthOf(schemeCode: number, version: string): number {
  return writeKeyOfScheme(schemeCode, version, versionKeyScratch);
}
