// Writes list items in the forms that answers need: a run of prepared items unchanged, or copies of prepared
// heads with other tails. Also writes the commas between them; the caller writes what surrounds them.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import type { PartArea } from '../../index/items/item-areas.ts';
import { quote } from '../../index/items/json-text.ts';
import {
  betweenOpenItems,
  gatherItems,
  gatherOpenItem,
  gatherOpenItems,
  paddingBefore,
} from '../../index/items/prepared-items.ts';
import type { Stretch } from '../../index/lookup/id-list.ts';
import type { Located } from '../../index/lookup/locate.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { writeMatchedRange, writeVersion } from '../matched-range.ts';

const utf8 = new TextEncoder();
const COMMA = utf8.encode(',');
const NO_FIX = utf8.encode('""');
const END_OBJECT = utf8.encode('}');
const DETAILS = utf8.encode(',"advisory_details":');
const NO_DETAILS = utf8.encode(',"advisory_details":""');
const NEXT_ITEM = utf8.encode('},');
const NO_DETAILS_AND_NEXT = betweenOpenItems(',"advisory_details":""},');

/** Appends consecutive advisories, with the highest fix as `fixed`. */
export function writeListedItems(
  memory: ThreadMemory,
  generation: Generation,
  { start, end }: Stretch,
  withDetails: boolean,
): void {
  const { out } = memory;
  const { items } = generation;
  if (!withDetails) {
    items.writeItems(out, start, end);
    return;
  }
  for (let ordinal = start; ordinal < end; ordinal++) {
    if (ordinal > start) out.piece(COMMA);
    items.writeOpenItem(out, ordinal);
    writeDetails(memory, generation, ordinal);
    out.piece(END_OBJECT);
  }
}

/**
 * The items of the stretch, between two other texts. Assembled in the thread's area, where copying is fast;
 * in `out` if the items have no area or do not fit. Either way the bytes are the same, and the thread's next
 * page overwrites them, unless it is the same page: then it is there already.
 */
export function joinListedItems(
  memory: ThreadMemory,
  generation: Generation,
  before: Uint8Array,
  stretch: Stretch,
  after: Uint8Array,
  withDetails: boolean,
): Uint8Array {
  const { start, end } = stretch;
  const { out } = memory;
  const found = start < end ? memory.areas.find(start, end) : undefined;
  if (found !== undefined) {
    const { area, part, page } = found;
    const isSame = page?.start === start && page.end === end && page.withDetails === withDetails;
    const known = isSame ? area.viewBetween(before, page.before, after, page.after) : undefined;
    if (known !== undefined) return known;
    found.page = undefined; // also if what follows throws
    generation.items.require(start, end);
    area.restart();
    area.piece(before);
    if (withDetails) gatherDetailed(found, memory, generation, stretch);
    else gatherItems(area, part, start, end);
    area.piece(after);
    const joined = area.view();
    if (joined !== undefined) {
      found.page = { start, end, withDetails, before: before.length, after: after.length };
      return joined;
    }
  }
  out.restart();
  out.piece(before);
  writeListedItems(memory, generation, stretch, withDetails);
  out.piece(after);
  return out.view();
}

/**
 * Appends what `writeListedItems` writes with details, or as much of it as fits. Requires: at least one item.
 */
function gatherDetailed(
  { area, part }: PartArea,
  { out: scratch, records: open }: ThreadMemory,
  { records }: Generation,
  { start, end }: Stretch,
): void {
  let excess = 0; // bytes after the last brace
  for (let ordinal = start; ordinal < end && !area.isFull; ordinal++) {
    area.piece(paddingBefore(part, ordinal, area.length));
    const first = ordinal;
    let details = records.bodyAt(ordinal, open);
    while (details === '' && ++ordinal < end) details = records.bodyAt(ordinal, open);
    gatherOpenItems(area, part, first, ordinal, NO_DETAILS_AND_NEXT);
    excess = NO_DETAILS_AND_NEXT.length - NO_DETAILS.length - END_OBJECT.length;
    if (ordinal === end) break;
    gatherOpenItem(area, part, ordinal);
    scratch.restart();
    scratch.alignWith(area.length); // then V8 copies into shared memory word by word
    const begun = scratch.length;
    writeMember(scratch, details);
    scratch.piece(NEXT_ITEM);
    area.piece(scratch.view().subarray(begun));
    excess = COMMA.length;
  }
  area.truncate(area.length - excess);
}

/**
 * Appends the advisories ordinals[first..last), with the lowest fix as `fixed` and without a matched range.
 */
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

/**
 * Appends the advisories in the memory's `matches`, each with its matched range and the lowest fix as
 * `fixed`.
 */
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
  generation.items.writeHead(out, ordinal);
  const fix = generation.parts.items.lowestFix[ordinal];
  if (fix === NONE) out.piece(NO_FIX);
  else writeVersion(out, generation, fix);
  out.piece(END_OBJECT); // of version_info
  if (span !== NONE) writeMatchedRange(out, generation, span);
  if (withDetails) writeDetails(memory, generation, ordinal);
  out.piece(END_OBJECT);
}

function writeDetails({ out, records }: ThreadMemory, generation: Generation, ordinal: number): void {
  const details = generation.records.bodyAt(ordinal, records);
  if (details === '') out.piece(NO_DETAILS);
  else writeMember(out, details);
}

function writeMember(out: AnswerBuffer, details: string): void {
  out.piece(DETAILS);
  out.text(quote(details));
}

// Where an answer begins, modulo a word. Items are padded to the alignment of their source, so only answers
// with the same alignment have the same bytes, whether cached or new, alone or in a batch. 4 is where the
// first item of a product's own reply begins: after `{"vulnerabilities":[`, which has 20 bytes.
const ALIGNMENT = 4;

/**
 * Appends the items that apply at a place, separated by commas, each with its matched range. Versions between
 * the same two bounds have the same answer, so an answer assembled for one of them is cached for all.
 */
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
