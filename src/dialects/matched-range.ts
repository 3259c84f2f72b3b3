// The range that decided a lookup, as a member of an item.

import { NONE } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { UPPER_BOUNDS, upperBoundOf } from '../index/lookup/interval.ts';
import type { ByteWriter } from '../index/memory/byte-writer.ts';

const utf8 = new TextEncoder();
const QUOTE = utf8.encode('"');
const NULL = utf8.encode('null');
const FROM = utf8.encode(',"matched_range":{"from_version":');
const TO = utf8.encode(',"to_version":');
/** By bound code: the bound, and the name of the next member. */
const BOUNDS_AND_FIXED = Array.from({ length: UPPER_BOUNDS.length + 1 }, (_, code) =>
  utf8.encode(`,"to_bound":${JSON.stringify(upperBoundOf(code))},"fixed_in":`),
);
const END = utf8.encode('}');

/** Appends the member, with a comma before it. */
export function writeMatchedRange(out: ByteWriter, generation: Generation, span: number): void {
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = generation.parts.columns;
  out.piece(FROM);
  writeVersion(out, generation, spanFrom[span]);
  out.piece(TO);
  writeVersion(out, generation, spanTo[span]);
  out.piece(BOUNDS_AND_FIXED[spanToBound[span]]);
  writeVersion(out, generation, spanFixedIn[span]);
  out.piece(END);
}

/** Appends a version as JSON; null for NONE. */
export function writeVersion(out: ByteWriter, generation: Generation, version: number): void {
  if (version === NONE) {
    out.piece(NULL);
    return;
  }
  out.piece(QUOTE);
  out.pooled(generation.parts.items.versionJson, version);
  out.piece(QUOTE);
}
