// The versions that some spans name, in order: an axis for each scheme, on which an explanation places every
// bound and the version asked for. Whoever draws it compares numbers, never versions.

import { versionText } from '../column-texts.ts';
import { type IndexColumns, NONE } from '../columns.ts';
import { compareBytes } from '../memory/bytes.ts';
import { foldLiteral, isLiteralKey } from '../versions/literal-version.ts';
import { keyUnder, SCHEME_TABLE, type SchemeFacts, type VersionScheme } from '../versions/version-key.ts';
import { isUnboundedBelow } from './interval.ts';
import { lowerBound, partitionPoint } from './search.ts';

export interface VersionAxis {
  readonly scheme: VersionScheme;
  /**
   * Ascending, as published. Of equal versions the first in byte order stands for all, as in a version to
   * update to.
   */
  readonly versions: readonly string[];
  /**
   * Where the version asked for is, by the part that advisories are about; undefined if the scheme does not
   * order it.
   */
  readonly place: AxisPlace | undefined;
  /** Where it is with all its parts; undefined if that is all of it. */
  readonly wholePlace: AxisPlace | undefined;
}

export interface AxisPlace {
  /** How many of the versions are below. */
  readonly below: number;
  /** Whether the next one is equal. */
  readonly isExact: boolean;
}

/** A version that a span names. */
export interface NamedVersion {
  /** As a span shows it. */
  readonly text: string;
  /**
   * Its index on the axis of its scheme; null if it is not there: not a version, or no bound but the lowest
   * version.
   */
  readonly at: number | null;
  /** Whether it means "unbounded" as a lower bound. */
  readonly isLowest: boolean;
  /** Whether it is a text that the scheme cannot order, folded; undefined for versions. */
  readonly literal: string | undefined;
}

/** Collects versions by row, then lays them out. */
export class AxisBuilder {
  readonly #columns: IndexColumns;
  /** By row: whether it belongs on the axis. */
  readonly #rows = new Map<number, boolean>();
  readonly #lowest = new Map<number, boolean>();

  constructor(columns: IndexColumns) {
    this.#columns = columns;
  }

  /** The versions of a span, under the scheme of its advisory. */
  addSpan(span: number, scheme: SchemeFacts): void {
    const { spanFrom, spanTo, spanFixedIn } = this.#columns;
    const from = spanFrom[span];
    if (from !== NONE && this.#rows.get(from) !== true) this.#rows.set(from, !this.#isLowest(from, scheme));
    if (spanTo[span] !== NONE) this.#rows.set(spanTo[span], true);
    if (spanFixedIn[span] !== NONE) this.#rows.set(spanFixedIn[span], true);
  }

  /** The axes of these schemes, and every version that was added, by its row. */
  layOut(
    schemes: readonly number[],
    version: string,
  ): { readonly axes: readonly VersionAxis[]; readonly named: ReadonlyMap<number, NamedVersion> } {
    const { versionSchemeStart } = this.#columns;
    const named = new Map<number, NamedVersion>();
    const rows = Uint32Array.from(this.#rows.keys()).sort(); // by scheme, then by key, then by text
    const axes = SCHEME_TABLE.map((scheme) => {
      const first = lowerBound(rows, versionSchemeStart[scheme.code]);
      const last = lowerBound(rows, versionSchemeStart[scheme.code + 1], first);
      return this.#axis(scheme, rows.subarray(first, last), version, named);
    });
    return { axes: schemes.map((scheme) => axes[scheme]), named };
  }

  /** Requires: rows of the scheme, ascending. */
  #axis(
    scheme: SchemeFacts,
    rows: Uint32Array,
    version: string,
    named: Map<number, NamedVersion>,
  ): VersionAxis {
    const { versionKey, versionKeyStart } = this.#columns;
    const versions: string[] = [];
    const placed: number[] = [];
    for (const row of rows) {
      const published = versionText(this.#columns, row);
      const text = scheme.complete(published);
      const [start, end] = [versionKeyStart[row], versionKeyStart[row + 1]];
      const isLiteral = scheme.isStrict && isLiteralKey(versionKey, start, end);
      const isOrdered = end > start && !isLiteral;
      const isPlaced = isOrdered && this.#rows.get(row) === true;
      if (isPlaced && (placed.length === 0 || this.#order(placed[placed.length - 1], row) !== 0)) {
        placed.push(row);
        versions.push(published);
      }
      named.set(row, {
        text,
        at: isPlaced ? placed.length - 1 : null,
        isLowest: this.#isLowest(row, scheme),
        literal: isLiteral ? foldLiteral(published) : undefined,
      });
    }
    const part = scheme.publicPart?.(version) ?? version;
    const whole = this.#placeOf(keyUnder(scheme, version), placed);
    return part === version || whole === undefined
      ? { scheme: scheme.name, versions, place: whole, wholePlace: undefined }
      : {
          scheme: scheme.name,
          versions,
          place: this.#placeOf(keyUnder(scheme, part), placed),
          wholePlace: whole,
        };
  }

  #placeOf(key: Uint8Array | undefined, rows: readonly number[]): AxisPlace | undefined {
    if (key === undefined) return undefined;
    const { versionKey: keys, versionKeyStart } = this.#columns;
    const order = (row: number): number =>
      compareBytes(keys, versionKeyStart[row], versionKeyStart[row + 1], key, 0, key.length);
    const below = partitionPoint(0, rows.length, (i) => order(rows[i]) >= 0);
    return { below, isExact: below < rows.length && order(rows[below]) === 0 };
  }

  /** Sign of the order of two versions of a scheme. */
  #order(a: number, b: number): number {
    const { versionKey: keys, versionKeyStart } = this.#columns;
    const [startA, endA] = [versionKeyStart[a], versionKeyStart[a + 1]];
    return compareBytes(keys, startA, endA, keys, versionKeyStart[b], versionKeyStart[b + 1]);
  }

  #isLowest(row: number, scheme: SchemeFacts): boolean {
    let isLowest = this.#lowest.get(row);
    if (isLowest === undefined) {
      isLowest = isUnboundedBelow(scheme, versionText(this.#columns, row));
      this.#lowest.set(row, isLowest);
    }
    return isLowest;
  }
}

/** Sign of the version at a place compared with a bound of the axis; 0 also for a bound that is not on it. */
export function orderAt({ below, isExact }: AxisPlace, { at }: NamedVersion): number {
  if (at === null || (at === below && isExact)) return 0;
  return at < below ? 1 : -1;
}
