// List items in the forms that answers need: a prepared stretch as it is, or copies of prepared heads with
// tails of their own. Writes items and the commas between them; what stands around is the caller's.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { quote } from '../../index/items/json-text.ts';
import type { Stretch } from '../../index/lookup/id-list.ts';
import { UPPER_BOUNDS, upperBoundOf } from '../../index/lookup/interval.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';

const utf8 = new TextEncoder();
const COMMA = utf8.encode(',');
const QUOTE = utf8.encode('"');
const NULL = utf8.encode('null');
const NO_FIX = utf8.encode('""');
const END_OBJECT = utf8.encode('}');
const MATCHED_FROM = utf8.encode(',"matched_range":{"from_version":');
const TO = utf8.encode(',"to_version":');
/** By bound code: the bound and the name of what follows it. */
const BOUNDS_AND_FIXED = Array.from({ length: UPPER_BOUNDS.length + 1 }, (_, code) =>
  utf8.encode(`,"to_bound":${JSON.stringify(upperBoundOf(code))},"fixed_in":`),
);

/** The prepared bytes of consecutive advisories, with `fixed` the highest fix. Empty for an empty stretch. */
export function preparedItems(generation: Generation, first: number, last: number): Uint8Array {
  const { bytes, itemStart } = generation.parts.items;
  // Without the last comma.
  return first >= last ? bytes.subarray(0, 0) : bytes.subarray(itemStart[first], itemStart[last] - 1);
}

/**
 * Those bytes between two other texts. Without room in the thread's area they go through `out`, byte by byte. Either
 * way the thread's next page overwrites them.
 */
export function joinPreparedItems(
  memory: ThreadMemory,
  generation: Generation,
  before: Uint8Array,
  { start, end }: Stretch,
  after: Uint8Array,
): Uint8Array {
  const items = preparedItems(generation, start, end);
  const area = memory.areaIn(generation.parts.items.memory);
  const joined = area?.join(before, items.byteOffset, items.byteOffset + items.length, after);
  if (joined !== undefined) return joined;
  const { out } = memory;
  out.restart();
  out.piece(before);
  out.piece(items);
  out.piece(after);
  return out.view();
}

/** Consecutive advisories with their details, `fixed` the highest fix. */
export function writeDetailedItems(
  memory: ThreadMemory,
  generation: Generation,
  first: number,
  last: number,
): void {
  const { out } = memory;
  const { bytes, itemStart } = generation.parts.items;
  for (let ordinal = first; ordinal < last; ordinal++) {
    if (ordinal > first) out.piece(COMMA);
    out.alignWith(itemStart[ordinal]);
    out.copy(bytes, itemStart[ordinal], itemStart[ordinal + 1] - 2); // without the last brace and the comma
    writeDetails(memory, generation, ordinal);
    out.text('}');
  }
}

/** The advisories of ordinals[first..last), `fixed` the lowest fix, no matched range. */
export function writeListed(
  memory: ThreadMemory,
  generation: Generation,
  ordinals: Uint32Array,
  first: number,
  last: number,
  withDetails: boolean,
): void {
  for (let i = first; i < last; i++) {
    if (i > first) memory.out.piece(COMMA);
    writeLookupItem(memory, generation, ordinals[i], NONE, withDetails);
  }
}

/** The advisories in the memory's `matches`, each with its matched range, `fixed` the lowest fix. */
export function writeMatches(memory: ThreadMemory, generation: Generation, withDetails: boolean): void {
  const { out, matches } = memory;
  for (let i = 0; i < matches.count; i++) {
    if (i > 0) out.piece(COMMA);
    writeLookupItem(memory, generation, matches.advisoryAt(i), matches.spanAt(i), withDetails);
  }
}

function writeLookupItem(
  memory: ThreadMemory,
  generation: Generation,
  ordinal: number,
  span: number,
  withDetails: boolean,
): void {
  const { out } = memory;
  const { bytes, itemStart, tailBytes, lowestFix } = generation.parts.items;
  out.alignWith(itemStart[ordinal]);
  out.copy(bytes, itemStart[ordinal], itemStart[ordinal + 1] - tailBytes[ordinal]);
  const fix = lowestFix[ordinal];
  if (fix === NONE) out.piece(NO_FIX);
  else writeVersion(out, generation, fix);
  out.piece(END_OBJECT); // of version_info
  if (span !== NONE) writeMatchedRange(out, generation, span);
  if (withDetails) writeDetails(memory, generation, ordinal);
  out.piece(END_OBJECT);
}

function writeMatchedRange(out: AnswerBuffer, generation: Generation, span: number): void {
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = generation.parts.columns;
  out.piece(MATCHED_FROM);
  writeVersion(out, generation, spanFrom[span]);
  out.piece(TO);
  writeVersion(out, generation, spanTo[span]);
  out.piece(BOUNDS_AND_FIXED[spanToBound[span]]);
  writeVersion(out, generation, spanFixedIn[span]);
  out.piece(END_OBJECT);
}

function writeVersion(out: AnswerBuffer, generation: Generation, version: number): void {
  if (version === NONE) {
    out.piece(NULL);
    return;
  }
  out.piece(QUOTE);
  out.pooled(generation.parts.items.versionJson, version);
  out.piece(QUOTE);
}

function writeDetails({ out, records }: ThreadMemory, generation: Generation, ordinal: number): void {
  out.text(',"advisory_details":');
  out.text(quote(generation.records.bodyAt(ordinal, records)));
}
