// Looking up is two steps: `locate` turns a version of a product into its place among the product's bounds;
// `any` and `collect` ask which intervals contain that place. Versions at the same place get the same answer.

import { versionText } from '../column-texts.ts';
import { type IndexColumns, NONE } from '../columns.ts';
import { isLongerThan } from '../memory/text-limits.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import { firstSpan } from '../span-list.ts';
import { isLiteralKey, literalKey } from '../versions/literal-version.ts';
import {
  hasLetterOrDigit,
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  SCHEME_TABLE,
  schemeFacts,
  type VersionScheme,
  writeKeyOfScheme,
} from '../versions/version-key.ts';
import { isInGrammar, isVersionOf, STRICT_TYPES } from '../versions/version-of-type.ts';
import { isUnboundedBelow } from './interval.ts';
import { type BoundTables, isStabbed, positionOf, stab } from './interval-index.ts';
import { Matches } from './matches.ts';
import { type GroupPlace, groupStartIn, readGroup } from './product-rows.ts';
import type { ProductTables } from './product-table.ts';

/**
 * For a product of which nobody knows anything, it depends on the type alone: the same request gets the same
 * status for known and unknown products.
 */
const NOT_A_VERSION = { kind: 'not-a-version' } as const;
/**
 * No interval can contain the version: the product is unknown, or only a strict scheme that refuses the text
 * has any.
 */
const NOWHERE = { kind: 'nowhere' } as const;

/**
 * A bound of a group, or the versions between two bounds: they all get the same answer. Texts that the scheme
 * cannot order lie above all versions, and get another one.
 */
export interface Segment {
  readonly kind: 'segment';
  /** `~product` of a product without groups, whose advisories all affect every version. */
  readonly group: number;
  /** Whether the scheme cannot order the text (versions/literal-version.ts). Never so outside `Segments`. */
  readonly isLiteral: boolean;
  /** As numbered in interval.ts. */
  readonly position: number;
  /** The group's intervals. */
  readonly intervalStart: number;
  readonly intervalEnd: number;
  /** Unique among all segments of the generation. */
  readonly number: number;
  /** The version's key under the group's scheme: key[0..keyLength). */
  readonly key: Uint8Array;
  readonly keyLength: number;
}

/**
 * A version of a product at several places: under each of its schemes, or with and without its local part; or
 * a literal.
 */
interface Segments {
  readonly kind: 'segments';
  readonly segments: readonly Segment[];
  /** The scheme by which versions of different groups compare: the type's own. */
  readonly scheme: VersionScheme;
}

export type Located = typeof NOWHERE | Segment | Segments;
export type LocateResult = typeof NOT_A_VERSION | Located;

type Writable<Value> = { -readonly [Member in keyof Value]: Value[Member] };

/**
 * One per thread. A place is valid until the next call: its segments are reused, so that lookups do not
 * allocate them.
 */
export class Locator {
  // A product has at most one group for each scheme, which the loader has checked; a version has two places
  // in a group of pep440, and a slot is filled before it is known whether it is needed.
  readonly #slots = Array.from({ length: SCHEME_TABLE.length + 2 }, makeSlot);
  readonly #group: GroupPlace = {
    group: 0,
    scheme: 0,
    boundStart: 0,
    boundEnd: 0,
    intervalStart: 0,
    intervalEnd: 0,
  };

  /** The place of a version of a product, or of any version of the type when the product is unknown. */
  locate(
    tables: BoundTables & Pick<ProductTables, 'productRows'>,
    type: ProductTypeFacts,
    product: number | undefined,
    version: string,
  ): LocateResult {
    const { columns, productRows } = tables;
    const isAskable = isPlausible(type, version);
    if (!isAskable && !type.takesLiterals) return NOT_A_VERSION;
    const first = product === undefined ? 0 : groupStartIn(productRows, product);
    const last = product === undefined ? 0 : groupStartIn(productRows, product + 1);
    if (product === undefined || first === last) {
      if (product !== undefined && hasAdvisories(columns, product)) {
        return this.#locateAnywhere(tables, type, product, version, isAskable);
      }
      return isVersionOf(type.name, version) ? NOWHERE : NOT_A_VERSION;
    }
    let count = 0;
    let literals = 0;
    for (let group = first; group < last; group++) {
      readGroup(columns, productRows, product, group, this.#group);
      const { scheme } = this.#group;
      const keyLength = isAskable ? writeKeyOfScheme(scheme, version, this.#slots[count].key) : -1;
      if (keyLength >= 0) {
        this.#put(tables, count++, keyLength);
        const { publicPart } = SCHEME_TABLE[scheme];
        const part = publicPart === null ? version : publicPart(version);
        if (part !== version) {
          const length = writeKeyOfScheme(scheme, part, this.#slots[count].key);
          this.#put(tables, count++, length);
        }
      } else if (!SCHEME_TABLE[scheme].isStrict) {
        return NOT_A_VERSION;
      } else if (this.#putLiteral(tables, count, version)) {
        count++;
        literals++;
      }
    }
    if (count === literals && STRICT_TYPES[type.code] && (count === 0 || !type.takesLiterals))
      return NOT_A_VERSION;
    if (count === 0) return NOWHERE;
    if (count === 1 && literals === 0) return this.#slots[0];
    return { kind: 'segments', segments: this.#slots.slice(0, count), scheme: type.scheme };
  }

  /** Of a product without groups: versions are all at one place, and so are literals. */
  #locateAnywhere(
    { columns }: BoundTables,
    type: ProductTypeFacts,
    product: number,
    version: string,
    isAskable: boolean,
  ): LocateResult {
    const { code, isStrict } = schemeFacts(type.scheme);
    const slot = this.#slots[0];
    if (!isAskable || writeKeyOfScheme(code, version, slot.key) < 0) {
      const isRefused = STRICT_TYPES[type.code];
      if (!isStrict || (isRefused && !type.takesLiterals)) return NOT_A_VERSION;
      if (literalKey(version) === undefined) return isRefused ? NOT_A_VERSION : NOWHERE;
    }
    slot.group = ~product;
    slot.isLiteral = false;
    slot.position = 0;
    slot.intervalStart = 0;
    slot.intervalEnd = 0;
    // Behind the segments of all groups.
    slot.number = 2 * columns.boundVersion.length + columns.groupScheme.length + product;
    slot.keyLength = 0;
    return slot;
  }

  /** The place in the group that was read last. Requires: the key is in the slot. */
  #put(tables: BoundTables, at: number, keyLength: number, isLiteral = false): void {
    const slot = this.#slots[at];
    const { group, boundStart, boundEnd, intervalStart, intervalEnd } = this.#group;
    const position = positionOf(tables, boundStart, boundEnd, slot.key, keyLength);
    slot.group = group;
    slot.position = position;
    slot.intervalStart = intervalStart;
    slot.intervalEnd = intervalEnd;
    slot.isLiteral = isLiteral;
    // A group with b bounds has 2b + 1 segments.
    slot.number = 2 * boundStart + group + position;
    slot.keyLength = keyLength;
  }

  /** False, and nothing is kept, if no advisory of the group affects the text. */
  #putLiteral(tables: BoundTables, at: number, text: string): boolean {
    const key = literalKey(text);
    if (key === undefined) return false;
    this.#slots[at].key.set(key);
    this.#put(tables, at, key.length, true);
    return isHit(tables.columns, this.#slots[at]);
  }
}

function makeSlot(): Writable<Segment> {
  return {
    kind: 'segment',
    group: 0,
    isLiteral: false,
    position: 0,
    intervalStart: 0,
    intervalEnd: 0,
    number: 0,
    key: new Uint8Array(MAX_KEY_BYTES),
    keyLength: 0,
  };
}

/** A cheap check for what every version has; a strict scheme has a grammar of its own. */
function isPlausible({ code }: ProductTypeFacts, version: string): boolean {
  if (isLongerThan(version, MAX_VERSION_BYTES)) return false;
  return STRICT_TYPES[code] ? isInGrammar(code, version) : hasLetterOrDigit(version);
}

/** A copy that stays valid. */
export function copyOf(place: Located): Located {
  if (place.kind === 'nowhere') return place;
  const copied = (segment: Segment): Segment => ({
    ...segment,
    key: segment.key.slice(0, segment.keyLength),
  });
  return place.kind === 'segment'
    ? copied(place)
    : { ...place, segments: place.segments.map((segment) => copied(segment)) };
}

/** Whether any interval contains the place. */
export function any(columns: IndexColumns, place: Located): boolean {
  switch (place.kind) {
    case 'segment':
      return place.group < 0 || isWithin(columns, place);
    case 'segments':
      return place.segments.some((segment) => isHit(columns, segment));
    case 'nowhere':
      return false;
  }
}

function isWithin(columns: IndexColumns, { intervalStart, intervalEnd, position }: Segment): boolean {
  return isStabbed(columns, intervalStart, intervalEnd, position);
}

function isHit(columns: IndexColumns, segment: Segment): boolean {
  if (!segment.isLiteral) return isWithin(columns, segment);
  const matches = new Matches();
  stabLiteral(columns, segment, matches);
  return matches.count > 0;
}

/** Fills `matches` with the advisories whose intervals contain the place. */
export function collect(columns: IndexColumns, place: Located, matches: Matches): void {
  matches.clear();
  if (place.kind === 'segment') stabGroup(columns, place, matches);
  else if (place.kind === 'segments') {
    for (const each of place.segments) (each.isLiteral ? stabLiteral : stabGroup)(columns, each, matches);
  }
  matches.settle();
}

function stabGroup(columns: IndexColumns, segment: Segment, matches: Matches): void {
  const { group, position, intervalStart, intervalEnd } = segment;
  if (group < 0) addAll(columns, ~group, matches);
  else stab(columns, intervalStart, intervalEnd, position, matches);
}

/** Each advisory of the product, with its only span. */
function addAll(columns: IndexColumns, product: number, matches: Matches): void {
  const { productAdvisory, productAdvisoryStart } = columns;
  for (let i = productAdvisoryStart[product]; i < productAdvisoryStart[product + 1]; i++) {
    matches.add(productAdvisory[i], firstSpan(columns, productAdvisory[i]));
  }
}

function hasAdvisories({ productAdvisoryStart }: IndexColumns, product: number): boolean {
  return productAdvisoryStart[product] < productAdvisoryStart[product + 1];
}

/** What has no upper end reaches a literal, but only what has no lower end either means it. */
function stabLiteral(columns: IndexColumns, segment: Segment, matches: Matches): void {
  const { spanFrom, versionKey, versionKeyStart, groupScheme } = columns;
  const scheme = SCHEME_TABLE[groupScheme[segment.group]];
  const reached = new Matches();
  stabGroup(columns, segment, reached);
  for (let i = 0; i < reached.count; i++) {
    const span = reached.spanAt(i);
    const from = spanFrom[span];
    const isMeant =
      from === NONE ||
      isLiteralKey(versionKey, versionKeyStart[from], versionKeyStart[from + 1]) ||
      isUnboundedBelow(scheme, versionText(columns, from));
    if (isMeant) matches.add(reached.advisoryAt(i), span);
  }
}
