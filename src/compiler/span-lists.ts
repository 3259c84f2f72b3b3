// Each list of spans stored once: of npm's export, the 214,057 advisories have 7,933.

import type { IndexColumns } from '../index/columns.ts';
import { GrowableU32 } from '../index/memory/growable.ts';
import type { SpanListColumns } from '../index/span-list.ts';

type SpanColumns = Pick<IndexColumns, 'spanFrom' | 'spanTo' | 'spanToBound' | 'spanFixedIn'>;

const EMPTY = -1;

/**
 * The spans of advisory i are rows [starts[i], starts[i + 1]). Lists are numbered in order of first use. The
 * rows are moved in place.
 */
export function shareSpanLists(starts: Uint32Array, spans: SpanColumns): SpanListColumns & SpanColumns {
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = spans;
  const columns = [spanFrom, spanTo, spanToBound, spanFixedIn];
  const advisorySpans = new Uint32Array(starts.length - 1);
  const listStart = new GrowableU32();
  const slots = new Int32Array(slotCountFor(advisorySpans.length)).fill(EMPTY);
  let kept = 0;
  listStart.push(0);
  for (let advisory = 0; advisory < advisorySpans.length; advisory++) {
    const first = starts[advisory];
    const length = starts[advisory + 1] - first;
    let slot = hashOf(spans, first, length) & (slots.length - 1);
    while (slots[slot] !== EMPTY && !isList(slots[slot], first, length))
      slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] === EMPTY) {
      slots[slot] = listStart.length - 1;
      for (const column of columns) column.copyWithin(kept, first, first + length);
      kept += length;
      listStart.push(kept);
    }
    advisorySpans[advisory] = slots[slot];
  }
  return {
    advisorySpans,
    spanListStart: listStart.view(),
    spanFrom: spanFrom.subarray(0, kept),
    spanTo: spanTo.subarray(0, kept),
    spanToBound: spanToBound.subarray(0, kept),
    spanFixedIn: spanFixedIn.subarray(0, kept),
  };

  function isList(list: number, first: number, length: number): boolean {
    const start = listStart.at(list);
    if (listStart.at(list + 1) - start !== length) return false;
    return columns.every((column) => {
      for (let i = 0; i < length; i++) if (column[start + i] !== column[first + i]) return false;
      return true;
    });
  }
}

/** A power of two, at most half of it used. */
function slotCountFor(count: number): number {
  return 2 ** Math.ceil(Math.log2(2 * count + 1));
}

function hashOf(
  { spanFrom, spanTo, spanToBound, spanFixedIn }: SpanColumns,
  first: number,
  length: number,
): number {
  let hash = length;
  for (let span = first; span < first + length; span++) {
    hash = mix(mix(mix(mix(hash, spanFrom[span]), spanTo[span]), spanToBound[span]), spanFixedIn[span]);
  }
  return hash ^ (hash >>> 15);
}

function mix(hash: number, value: number): number {
  return Math.imul((hash ^ value) + 0x9e3779b9, 0x85ebca6b) ^ (hash >>> 13);
}
