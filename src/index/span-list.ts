// The spans of an advisory: rows of a list that it shares with all advisories that affect the same versions
// under the same scheme.

import { type IndexColumns, NONE } from './columns.ts';
import { PRODUCT_TYPE_TABLE } from './product-type.ts';
import { schemeFacts } from './versions/version-key.ts';

export type SpanListColumns = Pick<IndexColumns, 'advisorySpans' | 'spanListStart'>;

type EveryVersionColumns = SpanListColumns &
  Pick<IndexColumns, 'advisoryProduct' | 'advisoryScheme' | 'productType' | 'spanFrom' | 'spanTo'>;

/** The first row of the advisory's spans. */
export function firstSpan({ advisorySpans, spanListStart }: SpanListColumns, ordinal: number): number {
  return spanListStart[advisorySpans[ordinal]];
}

/** The row behind the last of the advisory's spans. */
export function endOfSpans({ advisorySpans, spanListStart }: SpanListColumns, ordinal: number): number {
  return spanListStart[advisorySpans[ordinal] + 1];
}

/** A number for a span as one of this advisory: no other advisory with the same span has it. Below 2^53. */
export function numberOfSpan(
  { spanFrom }: Pick<IndexColumns, 'spanFrom'>,
  ordinal: number,
  span: number,
): number {
  return ordinal * spanFrom.length + span;
}

/**
 * Whether the advisory affects every version, by one span and under the scheme of its product's type. A
 * product with no other published advisories has no groups.
 */
export function affectsEveryVersion(columns: EveryVersionColumns, ordinal: number): boolean {
  const { advisoryProduct, advisoryScheme, productType, spanFrom, spanTo } = columns;
  const span = firstSpan(columns, ordinal);
  if (spanFrom[span] !== NONE || spanTo[span] !== NONE || endOfSpans(columns, ordinal) - span !== 1)
    return false;
  const type = PRODUCT_TYPE_TABLE[productType[advisoryProduct[ordinal]]];
  return advisoryScheme[ordinal] === schemeFacts(type.scheme).code;
}
