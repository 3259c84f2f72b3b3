// Why a lookup answers what it does. Whether an advisory applies, and which of its spans decided, are taken from the matches
// that the interval index found, never decided here; beside them stands the comparison of the version with every span, made
// span by span. Tests hold the two against each other.

import { type IndexColumns, NONE } from '../columns.ts';
import { completeSemver } from '../items/affected-range.ts';
import { compareBytes } from '../memory/bytes.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import type { VersionPart } from '../versions/key-parts.ts';
import {
  readVersion,
  SCHEME_TABLE,
  VERSION_SCHEMES,
  type VersionScheme,
  versionKey,
} from '../versions/version-key.ts';
import { holdsUpperBound, isUnboundedBelow, type Span, type UpperBound, upperBoundOf } from './interval.ts';
import type { Located } from './locate.ts';
import type { Matches } from './matches.ts';
import { findLowestClear, findUpdate, versionText } from './update.ts';

/** The spans of one explanation. The largest product known, WordPress itself, has some 3,000. */
export const MAX_EXPLAINED_SPANS = 10_000;

export interface Explanation {
  /** Whether the data has the product. */
  readonly isKnown: boolean;
  /** How each scheme of the product's advisories reads the version; of an unknown product, its type's scheme. */
  readonly readings: readonly Reading[];
  /** Every published advisory of the product, by descending id. */
  readonly advisories: readonly ExplainedAdvisory[];
  /** Of the versions named in the product's data, the lowest to which no advisory applies. */
  readonly lowestClear: string | null;
  /** Of these versions, the lowest that is not below the one asked for. */
  readonly update: string | null;
  /** How many spans were left out because there are more than MAX_EXPLAINED_SPANS. */
  readonly omittedSpans: number;
}

export interface Reading {
  readonly scheme: VersionScheme;
  /** Undefined if the scheme does not order the text. No span under it contains the version then. */
  readonly parts: readonly VersionPart[] | undefined;
}

export interface ExplainedAdvisory {
  readonly ordinal: number;
  readonly scheme: VersionScheme;
  /** The span that decided: of those that contain the version, the one with the greatest lower bound. */
  readonly decisive: ExplainedSpan | undefined;
  /** In the order of the snapshot. `decisive` is always one of them. */
  readonly spans: readonly ExplainedSpan[];
}

/** A span with its versions as a lookup shows them, and how the version compares with it. */
export interface ExplainedSpan extends Span {
  /** What puts the version outside the span; undefined if it is inside. */
  readonly excludedBy: 'from' | 'to' | 'scheme' | undefined;
  /** For example `1.0 <= 1.2 < 1.5`, or the one comparison that excludes the version. */
  readonly comparison: string;
}

/** What is explained. */
export interface ExplainedLookup {
  readonly type: ProductTypeFacts;
  /** The row of the product; undefined if unknown. */
  readonly product: number | undefined;
  readonly version: string;
}

/** Requires: `place` is that of the lookup, and `matches` what was collected there. */
export function explain(
  columns: IndexColumns,
  { type, product, version }: ExplainedLookup,
  place: Located,
  matches: Matches,
): Explanation {
  const deciding = new Map<number, number>();
  for (let i = 0; i < matches.count; i++) deciding.set(matches.advisoryAt(i), matches.spanAt(i));
  const compare = new SpanComparison(columns, version);
  const advisories: ExplainedAdvisory[] = [];
  let omittedSpans = 0;
  let room = MAX_EXPLAINED_SPANS;
  for (const ordinal of product === undefined ? [] : advisoriesOf(columns, product)) {
    const first = columns.advisorySpanStart[ordinal];
    const last = columns.advisorySpanStart[ordinal + 1];
    const decisiveRow = deciding.get(ordinal);
    let decisive: ExplainedSpan | undefined;
    const spans: ExplainedSpan[] = [];
    for (let row = first; row < last; row++) {
      if (room <= 0 && row !== decisiveRow) {
        omittedSpans++;
        continue;
      }
      const span = compare.with(row, columns.advisoryScheme[ordinal]);
      if (row === decisiveRow) decisive = span;
      spans.push(span);
      room--;
    }
    advisories.push({ ordinal, scheme: VERSION_SCHEMES[columns.advisoryScheme[ordinal]], decisive, spans });
  }
  const update = findUpdate(columns, place);
  const lowest = product === undefined ? undefined : findLowestClear(columns, product, type.scheme);
  return {
    isKnown: product !== undefined,
    readings: schemesOf(columns, product, type).map((scheme) => ({
      scheme,
      parts: readVersion(scheme, version),
    })),
    advisories,
    lowestClear: lowest === undefined ? null : versionText(columns, lowest),
    update: update === undefined ? null : versionText(columns, update),
    omittedSpans,
  };
}

function advisoriesOf({ productAdvisory, productAdvisoryStart }: IndexColumns, product: number): Uint32Array {
  return productAdvisory.subarray(productAdvisoryStart[product], productAdvisoryStart[product + 1]);
}

function schemesOf(
  { productGroupStart, groupScheme }: IndexColumns,
  product: number | undefined,
  type: ProductTypeFacts,
): readonly VersionScheme[] {
  if (product === undefined) return [type.scheme];
  const codes = groupScheme.subarray(productGroupStart[product], productGroupStart[product + 1]);
  return codes.length === 0 ? [type.scheme] : Array.from(codes, (code) => VERSION_SCHEMES[code]);
}

/** Compares one version with spans, under the scheme of each. */
class SpanComparison {
  readonly #columns: IndexColumns;
  readonly #version: string;
  readonly #keys: readonly (Uint8Array | undefined)[];
  /** By row: a bound is shared by many spans. */
  readonly #texts = new Map<number, string>();

  constructor(columns: IndexColumns, version: string) {
    this.#columns = columns;
    this.#version = version;
    this.#keys = VERSION_SCHEMES.map((scheme) => versionKey(scheme, version));
  }

  with(row: number, scheme: number): ExplainedSpan {
    const { spanFrom, spanTo, spanToBound, spanFixedIn } = this.#columns;
    const from = this.#textOf(spanFrom[row], scheme);
    const to = this.#textOf(spanTo[row], scheme);
    const toBound = upperBoundOf(spanToBound[row]);
    const fixedIn = this.#textOf(spanFixedIn[row], scheme);
    const { excludedBy, comparison } = this.#compare(from, to, toBound, row, scheme);
    return { from, to, toBound, fixedIn, excludedBy, comparison }; // spreading would take longer than all of the above
  }

  #compare(
    from: string | null,
    to: string | null,
    toBound: UpperBound | null,
    row: number,
    scheme: number,
  ): Pick<ExplainedSpan, 'excludedBy' | 'comparison'> {
    const { spanFrom, spanTo } = this.#columns;
    const version = this.#version;
    const key = this.#keys[scheme];
    if (key === undefined) {
      const { phrase } = SCHEME_TABLE[scheme];
      return { excludedBy: 'scheme', comparison: `${version} is not ${phrase}` };
    }
    const hasFrom = from !== null && !this.#meansNoBound(spanFrom[row], scheme);
    if (hasFrom && this.#order(key, spanFrom[row]) < 0) {
      return { excludedBy: 'from', comparison: `${version} < ${from}` };
    }
    const holdsTo = holdsUpperBound(toBound);
    if (to !== null) {
      const order = this.#order(key, spanTo[row]);
      if (order > 0 || (order === 0 && !holdsTo)) {
        return { excludedBy: 'to', comparison: `${version} ${holdsTo ? '>' : '>='} ${to}` };
      }
    }
    const lower = hasFrom ? `${from} <= ` : '';
    const upper = to === null ? '' : ` ${holdsTo ? '<=' : '<'} ${to}`;
    const comparison = hasFrom || to !== null ? `${lower}${version}${upper}` : 'every version';
    return { excludedBy: undefined, comparison };
  }

  /** Sign of the version compared with a bound. */
  #order(key: Uint8Array, row: number): number {
    const { versionKey, versionKeyStart } = this.#columns;
    return compareBytes(key, 0, key.length, versionKey, versionKeyStart[row], versionKeyStart[row + 1]);
  }

  #meansNoBound(row: number, scheme: number): boolean {
    const { versionKey, versionKeyStart } = this.#columns;
    return isUnboundedBelow(
      VERSION_SCHEMES[scheme],
      versionKey.subarray(versionKeyStart[row], versionKeyStart[row + 1]),
    );
  }

  #textOf(row: number, scheme: number): string | null {
    if (row === NONE) return null;
    const known = this.#texts.get(row);
    if (known !== undefined) return known;
    const published = versionText(this.#columns, row);
    const text = VERSION_SCHEMES[scheme] === 'semver' ? completeSemver(published) : published;
    this.#texts.set(row, text);
    return text;
  }
}
