// Packs the lines of a feed in several threads, keeping their order.

import { helperModule, inThreads } from '../helper-threads.ts';
import type { Line } from './lines.ts';
import { type LineBatch, type PackedLines, type PackOptions, packLines } from './pack-lines.ts';

export interface PackedBatch {
  readonly lines: readonly Line[];
  readonly packed: PackedLines;
}

/** A batch is about a megabyte; shorter feeds would be done before a thread has started. */
const HELPED_BATCHES = 4;

export async function* packBatches(
  batches: AsyncIterable<readonly Line[]>,
  options: PackOptions = {},
  helpedBatches = HELPED_BATCHES,
): AsyncGenerator<PackedBatch> {
  const work = {
    module: helperModule('line-thread', import.meta.url),
    workerData: options,
    here: (lines: readonly Line[]) => packLines(joined(lines), options),
    packed: (lines: readonly Line[]) => {
      const { bytes, ends } = joined(lines);
      return {
        message: { bytes, ends },
        transfer: [bytes.buffer as ArrayBuffer, ends.buffer as ArrayBuffer],
      };
    },
    helpedBatches,
  };
  for await (const { batch, result } of inThreads(batches, work)) yield { lines: batch, packed: result };
}

/** The lines in a buffer of their own, which can be handed to another thread. */
function joined(lines: readonly Line[]): LineBatch {
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.bytes.length, 0));
  const ends = new Uint32Array(lines.length);
  let at = 0;
  lines.forEach((line, i) => {
    bytes.set(line.bytes, at);
    at += line.bytes.length;
    ends[i] = at;
  });
  return { bytes, ends };
}
