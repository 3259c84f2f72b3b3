// The answer to a lookup: the advisories that apply to a version of a product, as items. Versions between the
// same two bounds have the same answer, so an answer assembled for one of them is cached for all.

import type { Generation } from '../../index/generation.ts';
import type { Located } from '../../index/lookup/locate.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { writeMatches } from './list-answer.ts';

// Where an answer begins, modulo a word. Items are padded to the alignment of their source, so only answers
// with the same alignment have the same bytes, whether cached or new, alone or in a batch. 4 is where the
// first item of a product's own reply begins: after `{"vulnerabilities":[`, which has 20 bytes.
const ALIGNMENT = 4;

/** Appends the items that apply at a place, separated by commas, each with its matched range. */
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
