// Converts OSV files in several threads, keeping their order: parsing and checking is most of the work of an
// import.

import { helperModule, inThreads } from '../helper-threads.ts';
import type { PackedSourceEntry } from '../packed-draft.ts';
import type { OsvFile } from './osv-file.ts';
import { buffersOf, inOneBuffer, packFiles } from './pack-files.ts';

/** A batch is some hundred kilobytes; shorter exports would be done before a thread has started. */
const HELPED_BATCHES = 16;

export interface ConvertedBatch {
  readonly files: readonly OsvFile[];
  readonly entries: readonly PackedSourceEntry[];
}

export async function* convertBatches(
  batches: AsyncIterable<readonly OsvFile[]> | Iterable<readonly OsvFile[]>,
  helpedBatches = HELPED_BATCHES,
): AsyncGenerator<ConvertedBatch> {
  const work = {
    module: helperModule('convert-thread', import.meta.url),
    workerData: undefined,
    here: packFiles,
    packed: (files: readonly OsvFile[]) => {
      const message = inOneBuffer(files);
      return { message, transfer: buffersOf(message) };
    },
    helpedBatches,
  };
  for await (const { batch, result } of inThreads(batches, work)) yield { files: batch, entries: result };
}
