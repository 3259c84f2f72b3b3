// Why a lookup answers what it does. Whether an advisory applies, and which of its spans decided, are taken
// from the matches that the interval index found, never decided here; beside them stands the comparison of
// the version with every span, made span by span. Tests hold the two against each other.

import { versionText } from '../column-texts.ts';
import type { IndexColumns } from '../columns.ts';
import type { ProductTypeFacts } from '../product-type.ts';
import { endOfSpans, firstSpan } from '../span-list.ts';
import type { VersionPart } from '../versions/key-parts.ts';
import { foldLiteral } from '../versions/literal-version.ts';
import {
  readVersion,
  SCHEME_TABLE,
  type SchemeFacts,
  schemeFacts,
  type VersionScheme,
} from '../versions/version-key.ts';
import { type FewestLeft, findFewestLeft } from './fewest-left.ts';
import { holdsUpperBound, type Span, type UpperBound, upperBoundOf } from './interval.ts';
import type { Located } from './locate.ts';
import type { Matches } from './matches.ts';
import { findLowestClear, findUpdate } from './update.ts';
import { AxisBuilder, type AxisPlace, type NamedVersion, orderAt, type VersionAxis } from './version-axis.ts';

/** The spans of one explanation. The largest product known, WordPress itself, has some 3,000. */
export const MAX_EXPLAINED_SPANS = 10_000;

export interface Explanation {
  /** Whether the data has the product. */
  readonly isKnown: boolean;
  /**
   * How each scheme of the product's advisories reads the version; of an unknown product, its type's scheme.
   */
  readonly readings: readonly Reading[];
  /** For each scheme of the advisories, the versions that the spans shown name. */
  readonly axes: readonly VersionAxis[];
  /** Every published advisory of the product, by descending id. */
  readonly advisories: readonly ExplainedAdvisory[];
  /** Of the versions named in the product's data, the lowest to which no advisory applies. */
  readonly lowestClear: string | null;
  /** Of these versions, the lowest that is not below the one asked for. */
  readonly update: string | null;
  /**
   * If there is no such version: the one that leaves the fewest advisories, where one scheme orders all of
   * them.
   */
  readonly fewestLeft: FewestLeft | undefined;
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
  /** The index of the scheme's axis. */
  readonly axis: number;
  /** The span that decided: of those that contain the version, the one with the greatest lower bound. */
  readonly decisive: ExplainedSpan | undefined;
  /** In the order of the snapshot. `decisive` is always one of them. */
  readonly spans: readonly ExplainedSpan[];
}

/** A span with its versions as a lookup shows them, and how the version compares with it. */
export interface ExplainedSpan extends Span {
  /**
   * The bounds and the fix as indexes into the versions of the axis. A lower bound that means "unbounded" has
   * none.
   */
  readonly fromAt: number | null;
  readonly toAt: number | null;
  readonly fixedAt: number | null;
  /** What puts the version outside the span; undefined if it is inside. */
  readonly excludedBy: 'from' | 'to' | 'scheme' | undefined;
  /** For example `1.0 <= 1.2 < 1.5`, or the one comparison that excludes the version. */
  readonly comparison: string;
}

/** What is explained. */
interface ExplainedLookup {
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
  const { shown, omittedSpans } = chooseSpans(columns, product, deciding);
  const schemes = [...new Set(shown.map(({ ordinal }) => columns.advisoryScheme[ordinal]))].sort();
  const compare = new SpanComparison(columns, version, schemes, shown);
  const advisories = shown.map(({ ordinal, rows }) => {
    const scheme = columns.advisoryScheme[ordinal];
    const spans = rows.map((row) => compare.with(row, scheme));
    const decisiveRow = deciding.get(ordinal);
    const decisive = decisiveRow === undefined ? undefined : spans[rows.indexOf(decisiveRow)];
    return { ordinal, scheme: SCHEME_TABLE[scheme].name, axis: schemes.indexOf(scheme), decisive, spans };
  });
  const update = findUpdate(columns, place);
  const canCount = update === undefined && compare.axes.length === 1 && omittedSpans === 0;
  const lowest = product === undefined ? undefined : findLowestClear(columns, product, type.scheme);
  return {
    isKnown: product !== undefined,
    readings: schemesOf(columns, product, type).map((scheme) => ({
      scheme: scheme.name,
      parts: readVersion(scheme, version),
    })),
    axes: compare.axes,
    advisories,
    lowestClear: lowest === undefined ? null : versionText(columns, lowest),
    update: update === undefined ? null : versionText(columns, update),
    fewestLeft: canCount ? findFewestLeft(compare.axes[0], advisories, deciding.size) : undefined,
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
): readonly SchemeFacts[] {
  const own = [schemeFacts(type.scheme)];
  if (product === undefined) return own;
  const codes = groupScheme.subarray(productGroupStart[product], productGroupStart[product + 1]);
  return codes.length === 0 ? own : Array.from(codes, (code) => SCHEME_TABLE[code]);
}

/** An advisory, and the rows of its spans that are shown. */
interface Shown {
  readonly ordinal: number;
  readonly rows: readonly number[];
}

/** Of a product's spans the first MAX_EXPLAINED_SPANS, and all that decide. */
function chooseSpans(
  columns: IndexColumns,
  product: number | undefined,
  deciding: ReadonlyMap<number, number>,
): { readonly shown: readonly Shown[]; readonly omittedSpans: number } {
  const shown: Shown[] = [];
  let room = MAX_EXPLAINED_SPANS;
  let omittedSpans = 0;
  for (const ordinal of product === undefined ? [] : advisoriesOf(columns, product)) {
    const end = endOfSpans(columns, ordinal);
    const rows: number[] = [];
    for (let row = firstSpan(columns, ordinal); row < end; row++) {
      if (room <= 0 && row !== deciding.get(ordinal)) {
        omittedSpans++;
        continue;
      }
      rows.push(row);
      room--;
    }
    shown.push({ ordinal, rows });
  }
  return { shown, omittedSpans };
}

/** A version, or a part of it, and where it is on the axis. */
interface PlacedText {
  readonly place: AxisPlace;
  readonly text: string;
}

/** Compares one version with spans, under the scheme of each. */
class SpanComparison {
  readonly axes: readonly VersionAxis[];
  readonly #columns: IndexColumns;
  readonly #version: string;
  /** By row: a bound is shared by many spans. */
  readonly #named: ReadonlyMap<number, NamedVersion>;
  /** By the scheme's code: two where the version has a part that advisories are not about. */
  readonly #places: readonly (readonly PlacedText[])[];

  /** Requires: the schemes of the spans. */
  constructor(columns: IndexColumns, version: string, schemes: readonly number[], shown: readonly Shown[]) {
    const builder = new AxisBuilder(columns);
    for (const { ordinal, rows } of shown) {
      for (const row of rows) builder.addSpan(row, SCHEME_TABLE[columns.advisoryScheme[ordinal]]);
    }
    const { axes, named } = builder.layOut(schemes, version);
    this.axes = axes;
    this.#columns = columns;
    this.#version = version;
    this.#named = named;
    this.#places = SCHEME_TABLE.map(({ name, publicPart }) => {
      const axis = axes.find(({ scheme }) => scheme === name);
      if (axis?.place === undefined) return [];
      const placed = { place: axis.place, text: publicPart?.(version) ?? version };
      return axis.wholePlace === undefined ? [placed] : [placed, { place: axis.wholePlace, text: version }];
    });
  }

  with(row: number, scheme: number): ExplainedSpan {
    const { spanFrom, spanTo, spanToBound, spanFixedIn } = this.#columns;
    const from = this.#named.get(spanFrom[row]);
    const to = this.#named.get(spanTo[row]);
    const fix = this.#named.get(spanFixedIn[row]);
    const toBound = upperBoundOf(spanToBound[row]);
    const lower = from?.isLowest === true ? undefined : from;
    const { excludedBy, comparison } = this.#compare(lower, to, toBound, scheme);
    // Spreading would take longer than all of the above.
    return {
      from: from?.text ?? null,
      to: to?.text ?? null,
      toBound,
      fixedIn: fix?.text ?? null,
      fromAt: lower?.at ?? null,
      toAt: to?.at ?? null,
      fixedAt: fix?.at ?? null,
      excludedBy,
      comparison,
    };
  }

  #compare(
    from: NamedVersion | undefined,
    to: NamedVersion | undefined,
    toBound: UpperBound | null,
    scheme: number,
  ): Pick<ExplainedSpan, 'excludedBy' | 'comparison'> {
    const version = this.#version;
    if (from === undefined && to === undefined) return { excludedBy: undefined, comparison: 'every version' };
    const literal = to?.literal;
    if (literal !== undefined) {
      return literal === foldLiteral(version)
        ? { excludedBy: undefined, comparison: `${version} is listed` }
        : { excludedBy: 'scheme', comparison: `${version} is not ${to?.text}` };
    }
    const places = this.#places[scheme];
    if (places.length === 0) {
      const { phrase } = SCHEME_TABLE[scheme];
      return { excludedBy: 'scheme', comparison: `${version} is not ${phrase}` };
    }
    const compared = places.map((placed) => this.#compareAt(placed, from, to, toBound));
    return compared.find(({ excludedBy }) => excludedBy === undefined) ?? compared[0];
  }

  #compareAt(
    { place, text: version }: PlacedText,
    from: NamedVersion | undefined,
    to: NamedVersion | undefined,
    toBound: UpperBound | null,
  ): Pick<ExplainedSpan, 'excludedBy' | 'comparison'> {
    if (from !== undefined && orderAt(place, from) < 0) {
      return { excludedBy: 'from', comparison: `${version} < ${from.text}` };
    }
    const holdsTo = holdsUpperBound(toBound);
    if (to !== undefined) {
      const order = orderAt(place, to);
      if (order > 0 || (order === 0 && !holdsTo)) {
        return { excludedBy: 'to', comparison: `${version} ${holdsTo ? '>' : '>='} ${to.text}` };
      }
    }
    const lower = from === undefined ? '' : `${from.text} <= `;
    const upper = to === undefined ? '' : ` ${holdsTo ? '<=' : '<'} ${to.text}`;
    return { excludedBy: undefined, comparison: `${lower}${version}${upper}` };
  }
}
