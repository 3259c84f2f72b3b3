// The answer to a lookup: the advisories that apply to a version of a product, as items. Versions between the same
// two bounds have the same answer, so what was put together for one of them is kept for all.

import type { Generation } from '../../index/generation.ts';
import type { Located } from '../../index/lookup/locate.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { writeMatches } from './list-answer.ts';

// Where an answer begins, modulo a word. Items are padded to the alignment of their source, so only answers that
// begin alike have the same bytes, whether they were kept or are made anew, for one request or in a batch. 4 is where
// the first item of the product's own reply stands: after `{"vulnerabilities":[`, which has 20 bytes.
const ALIGNMENT = 4;

/** Appends the items that apply at a place, with commas between, each with its matched range. */
export function writeLookup(
  memory: ThreadMemory,
  generation: Generation,
  place: Located,
  withDetails: boolean,
): void {
  const { out, matches, lookups } = memory;
  out.alignWith(ALIGNMENT);
  const kept = withDetails || place.kind !== 'segment' ? undefined : place.number;
  if (kept !== undefined && lookups.copyTo(out, kept)) return;
  const start = out.length;
  generation.collect(place, matches);
  writeMatches(memory, generation, withDetails);
  if (kept !== undefined) lookups.keep(kept, out.view().subarray(start));
}
