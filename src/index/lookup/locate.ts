// Looking up is two steps: `locate` turns a version of a product into its place among the product's bounds;
// `any` and `collect` ask which intervals contain that place. Versions at the same place get the same answer.

import type { IndexColumns } from '../columns.ts';
import { isLongerThan } from '../memory/text-limits.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import {
  hasLetterOrDigit,
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  SCHEME_TABLE,
  type VersionScheme,
  writeKeyOfScheme,
} from '../versions/version-key.ts';
import { isInGrammar, isVersionOf, STRICT_TYPES } from '../versions/version-of-type.ts';
import { isStabbed, positionOf, stab } from './interval-index.ts';
import type { Matches } from './matches.ts';

/** Depends on the type alone: the same request gets the same status for known and unknown products. */
const NOT_A_VERSION = { kind: 'not-a-version' } as const;
/**
 * No interval can contain the version: the product is unknown, or only a strict scheme that refuses the text
 * has any.
 */
const NOWHERE = { kind: 'nowhere' } as const;

/** A bound of a group, or the versions between two bounds: they all get the same answer. */
export interface Segment {
  readonly kind: 'segment';
  readonly group: number;
  /** As numbered in interval.ts. */
  readonly position: number;
  /** Unique among all segments of the generation. */
  readonly number: number;
  /** The version's key under the group's scheme: key[0..keyLength). */
  readonly key: Uint8Array;
  readonly keyLength: number;
}

/** A version of a product with several schemes: its place under each of them. */
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
  // A product has at most one group for each scheme, which the loader has checked.
  readonly #slots = SCHEME_TABLE.map(makeSlot);

  /** The place of a version of a product, or of any version of the type when the product is unknown. */
  locate(
    columns: IndexColumns,
    type: ProductTypeFacts,
    product: number | undefined,
    version: string,
  ): LocateResult {
    const { productGroupStart, groupScheme, groupBoundStart } = columns;
    if (!isPlausible(type, version)) return NOT_A_VERSION;
    const first = product === undefined ? 0 : productGroupStart[product];
    const last = product === undefined ? 0 : productGroupStart[product + 1];
    if (first === last) return isVersionOf(type.name, version) ? NOWHERE : NOT_A_VERSION;
    let count = 0;
    for (let group = first; group < last; group++) {
      const scheme = groupScheme[group];
      const slot = this.#slots[count];
      const keyLength = writeKeyOfScheme(scheme, version, slot.key);
      if (keyLength >= 0) {
        const position = positionOf(columns, group, slot.key, keyLength);
        slot.group = group;
        slot.position = position;
        // A group with b bounds has 2b + 1 segments.
        slot.number = 2 * groupBoundStart[group] + group + position;
        slot.keyLength = keyLength;
        count++;
      } else if (STRICT_TYPES[type.code] || !SCHEME_TABLE[scheme].isStrict) {
        return NOT_A_VERSION;
      }
      // No key: a strict scheme under a type that accepts any text. It is a version, but no interval of this
      // group holds it.
    }
    if (count === 0) return NOWHERE;
    if (count === 1) return this.#slots[0];
    return { kind: 'segments', segments: this.#slots.slice(0, count), scheme: type.scheme };
  }
}

function makeSlot(): Writable<Segment> {
  return {
    kind: 'segment',
    group: 0,
    position: 0,
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
      return isStabbed(columns, place.group, place.position);
    case 'segments':
      return place.segments.some(({ group, position }) => isStabbed(columns, group, position));
    case 'nowhere':
      return false;
  }
}

/** Fills `matches` with the advisories whose intervals contain the place. */
export function collect(columns: IndexColumns, place: Located, matches: Matches): void {
  matches.clear();
  if (place.kind === 'segment') stabGroup(columns, place, matches);
  else if (place.kind === 'segments') for (const each of place.segments) stabGroup(columns, each, matches);
  matches.settle();
}

function stabGroup(columns: IndexColumns, { group, position }: Segment, matches: Matches): void {
  const { groupIntervalStart } = columns;
  stab(columns, groupIntervalStart[group], groupIntervalStart[group + 1], position, matches);
}
