// The answer to a lookup: the advisories that apply to a version of a product, as items. Versions between the same
// two bounds have the same answer, so what was put together for one of them is kept for all.

import type { Generation } from '../../index/generation.ts';
import type { Matches } from '../../index/lookup/matches.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import type { ProductType } from '../../index/product-type.ts';
import { writeMatches } from './list-answer.ts';

export interface Lookup {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

// Where an answer begins, modulo a word. Items are padded to the alignment of their source, so only answers that
// begin alike have the same bytes, whether they were kept or are made anew, for one request or in a batch. 4 is where
// the first item of the product's own reply stands: after `{"vulnerabilities":[`, which has 20 bytes.
const ALIGNMENT = 4;

/**
 * Appends the items that apply, with commas between, each with its matched range. False, and at most blanks are
 * appended, when the string is no version of the product, by the rule of `Generation.match`.
 */
export function writeLookup(
  out: AnswerBuffer,
  generation: Generation,
  { type, name, version }: Lookup,
  matches: Matches,
  withDetails: boolean,
): boolean {
  out.alignWith(ALIGNMENT);
  const segment = withDetails ? undefined : generation.findSegment(type, name, version);
  if (segment === undefined) {
    if (!generation.match(type, name, version, matches)) return false;
    writeMatches(out, generation, matches, withDetails);
    return true;
  }
  const { lookups } = generation;
  if (lookups.copyTo(out, segment.number)) return true;
  const start = out.length;
  generation.matchSegment(segment, matches);
  writeMatches(out, generation, matches, false);
  lookups.keep(segment.number, out.view().subarray(start));
  return true;
}
