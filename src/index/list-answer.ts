// List items in the forms that answers need: a prepared stretch as it is, or copies of prepared heads with
// tails of their own. Writes items and the commas between them; what stands around is the caller's.

import type { AnswerBuffer } from './answer-buffer.ts';
import { NONE } from './columns.ts';
import type { Generation } from './generation.ts';
import { upperBoundOf } from './interval.ts';
import { quote } from './json-text.ts';
import type { Matches } from './matches.ts';

/** The prepared bytes of consecutive advisories, with `fixed` the highest fix. Empty for an empty stretch. */
export function preparedItems(generation: Generation, first: number, last: number): Uint8Array {
  const { bytes, itemStart } = generation.parts.items;
  return first >= last ? bytes.subarray(0, 0) : bytes.subarray(itemStart[first], itemStart[last] - 1);
}

/** Consecutive advisories with their details, `fixed` the highest fix. */
export function writeDetailedItems(
  out: AnswerBuffer,
  generation: Generation,
  first: number,
  last: number,
): void {
  const { bytes, itemStart } = generation.parts.items;
  for (let ordinal = first; ordinal < last; ordinal++) {
    if (ordinal > first) out.text(',');
    out.copy(bytes, itemStart[ordinal], itemStart[ordinal + 1] - 2); // without the last brace and the comma
    writeDetails(out, generation, ordinal);
    out.text('}');
  }
}

/** The advisories of ordinals[first..last), `fixed` the lowest fix, no matched range. */
export function writeListed(
  out: AnswerBuffer,
  generation: Generation,
  ordinals: Uint32Array,
  first: number,
  last: number,
  withDetails: boolean,
): void {
  for (let i = first; i < last; i++) {
    if (i > first) out.text(',');
    writeLookupItem(out, generation, ordinals[i], NONE, withDetails);
  }
}

/** The advisories of a lookup, each with its matched range, `fixed` the lowest fix. */
export function writeMatches(
  out: AnswerBuffer,
  generation: Generation,
  matches: Matches,
  withDetails: boolean,
): void {
  for (let i = 0; i < matches.count; i++) {
    if (i > 0) out.text(',');
    writeLookupItem(out, generation, matches.advisoryAt(i), matches.spanAt(i), withDetails);
  }
}

function writeLookupItem(
  out: AnswerBuffer,
  generation: Generation,
  ordinal: number,
  span: number,
  withDetails: boolean,
): void {
  const { bytes, itemStart, itemTail, lowestFix } = generation.parts.items;
  out.copy(bytes, itemStart[ordinal], itemTail[ordinal]);
  const fix = lowestFix[ordinal];
  if (fix === NONE) out.text('""');
  else writeVersion(out, generation, fix);
  out.text('}'); // ends version_info
  if (span !== NONE) writeMatchedRange(out, generation, span);
  if (withDetails) writeDetails(out, generation, ordinal);
  out.text('}');
}

function writeMatchedRange(out: AnswerBuffer, generation: Generation, span: number): void {
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = generation.parts.columns;
  const toBound = upperBoundOf(spanToBound[span]);
  out.text(',"matched_range":{"from_version":');
  writeVersion(out, generation, spanFrom[span]);
  out.text(',"to_version":');
  writeVersion(out, generation, spanTo[span]);
  out.text(',"to_bound":');
  out.text(toBound === null ? 'null' : `"${toBound}"`);
  out.text(',"fixed_in":');
  writeVersion(out, generation, spanFixedIn[span]);
  out.text('}');
}

function writeVersion(out: AnswerBuffer, generation: Generation, version: number): void {
  if (version === NONE) {
    out.text('null');
    return;
  }
  out.text('"');
  out.pooled(generation.parts.items.versionJson, version);
  out.text('"');
}

function writeDetails(out: AnswerBuffer, generation: Generation, ordinal: number): void {
  const [, details] = generation.records.detailAt(ordinal);
  out.text(',"advisory_details":');
  out.text(quote(details));
}
