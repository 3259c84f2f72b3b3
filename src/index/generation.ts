// One loaded snapshot, immutable: a few large buffers and a constant number of objects. The parts are plain data
// over shared memory, so another thread can make its own Generation from the same bytes.

import type { IndexColumns } from './columns.ts';
import type { RecordSource } from './items/detail-record.ts';
import type { ListItems } from './items/list-item.ts';
import { findAlias, findPsid, normaliseAlias, parsePsid } from './lookup/alias-table.ts';
import { findId, publishedRun, type Stretch } from './lookup/id-list.ts';
import { isStabbed, positionOf, stab } from './lookup/interval-index.ts';
import { type LatestWindow, LatestWindows } from './lookup/latest-window.ts';
import type { Matches } from './lookup/matches.ts';
import { findProduct } from './lookup/product-table.ts';
import { partitionPoint } from './lookup/search.ts';
import { AnswerCache } from './memory/answer-cache.ts';
import { OwnArea } from './memory/shared-memory.ts';
import {
  defaultSchemeOf,
  isVersionOf,
  type Platform,
  PRODUCT_TYPES,
  type ProductType,
} from './product-type.ts';
import {
  compareKeys,
  comparePooledKey,
  hasLetterOrDigit,
  MAX_KEY_BYTES,
  VERSION_SCHEMES,
  type VersionScheme,
  versionKey,
  writeVersionKey,
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

const SEMVER = VERSION_SCHEMES.indexOf('semver');
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
    const { runCounts } = this.parts.columns;
    return runCounts[0] + runCounts[1];
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

  /** WordPress slugs match in any case; npm names as given, then lower-cased. */
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

  /** Fills `matches` with the advisories that apply. False when the text is not a version of the type. */
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
   * The segment a version falls into, for a product with a single version scheme. Undefined for any other product, for
   * an unknown one, and for a text that is not a version: use `match` for those.
   */
  findSegment(type: ProductType, name: string, version: string): Segment | undefined {
    const { columns } = this.parts;
    const { productGroupStart, groupScheme, groupBoundStart } = columns;
    const product = this.findProduct(type, name);
    if (product === undefined || !isPlausible(type, version)) return undefined;
    const group = productGroupStart[product];
    if (productGroupStart[product + 1] !== group + 1) return undefined;
    const keyLength = keyLengthOf(VERSION_SCHEMES[groupScheme[group]], version);
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
    return this.#eachGroup(type, this.findProduct(type, name), version, (group, keyLength) =>
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
    let found: number | undefined;
    this.#eachGroup(type, this.findProduct(type, name), version, (group, keyLength) => {
      const last = groupClearStart[group + 1];
      const reached = partitionPoint(groupClearStart[group], last, (i) => {
        const row = clearVersion[i];
        return (
          comparePooledKey(
            versionKey,
            versionKeyStart[row],
            versionKeyStart[row + 1],
            versionKeyScratch,
            keyLength,
          ) >= 0
        );
      });
      if (reached < last) found = this.#lowerUpdate(type, found, clearVersion[reached]);
      return false;
    });
    return found;
  }

  /** Which of two versions is lower under the type's default scheme. */
  #lowerUpdate(type: ProductType, a: number | undefined, b: number): number {
    if (a === undefined) return b;
    const scheme = defaultSchemeOf(type);
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
   * Writes the version's key under each scheme of the product into the scratch and calls `visit`, until a call returns
   * true. Returns whether one did, or undefined when the text is not a version. That depends on the type alone, so the
   * same request gets the same status for known and unknown products.
   */
  #eachGroup(
    type: ProductType,
    product: number | undefined,
    version: string,
    visit: (group: number, keyLength: number) => boolean,
  ): boolean | undefined {
    const { productGroupStart, groupScheme } = this.parts.columns;
    if (!isPlausible(type, version)) return undefined;
    const first = product === undefined ? 0 : productGroupStart[product];
    const last = product === undefined ? 0 : productGroupStart[product + 1];
    if (first === last) return isVersionOf(type, version) ? false : undefined;
    for (let group = first; group < last; group++) {
      const keyLength = keyLengthOf(VERSION_SCHEMES[groupScheme[group]], version);
      if (keyLength >= 0) {
        if (visit(group, keyLength)) return true;
      } else if (type === 'npm' || groupScheme[group] !== SEMVER) {
        return undefined;
      }
      // No key: a WordPress product under semver. The text is still a version, but no interval of this group holds it.
    }
    return false;
  }
}

/** A cheap check for what every version has; npm's scheme does its own. */
function isPlausible(type: ProductType, version: string): boolean {
  return type === 'npm' || hasLetterOrDigit(version);
}

function keyLengthOf(scheme: VersionScheme, version: string): number {
  return writeVersionKey(scheme, version, versionKeyScratch);
}
