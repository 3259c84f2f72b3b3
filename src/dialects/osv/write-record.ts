// Appends records to answers. Making one inflates a block of details, so texts are kept.

import type { HandlerContext } from '../../http/context.ts';
import { recordJson } from './record.ts';

/** Appends a record to the memory's `out`. Requires: its head. */
export function writeRecord(
  { generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>,
  head: number,
): void {
  const { out } = memory;
  const kept = memory.cacheOf('osv');
  if (kept.copyTo(out, head)) return;
  const start = out.length;
  out.text(recordJson(generation, memory, head));
  kept.keep(head, out.view().subarray(start));
}
