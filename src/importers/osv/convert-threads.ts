// Converts OSV files in several threads, keeping their order: parsing and checking is most of the work of an
// import. Known files, which were converted in the last run, take their places among the others.

import { helperModule, inThreads } from '../helper-threads.ts';
import { type ConversionBatch, conversionAt, entriesOf } from '../kept/conversion.ts';
import type { KeptConversions } from '../kept/kept-conversions.ts';
import type { PackedSourceEntry } from '../packed-draft.ts';
import { type ConvertOptions, NOT_INFORMATIONAL } from './informational.ts';
import type { OsvFile } from './osv-file.ts';
import { buffersOf, inOneBuffer, type NewFile, packFiles } from './pack-files.ts';

/** A batch is some hundred kilobytes; shorter exports would be done before a thread has started. */
const HELPED_BATCHES = 16;

interface ConvertedBatch {
  readonly files: readonly OsvFile[];
  readonly entries: readonly PackedSourceEntry[];
}

/** What the files are converted to goes to `kept` too. */
export async function* convertBatches(
  batches: AsyncIterable<readonly OsvFile[]> | Iterable<readonly OsvFile[]>,
  kept?: KeptConversions,
  helpedBatches = HELPED_BATCHES,
  options: ConvertOptions = NOT_INFORMATIONAL,
): AsyncGenerator<ConvertedBatch> {
  const work = {
    module: helperModule('convert-thread', import.meta.url),
    workerData: options,
    isWork: (files: readonly OsvFile[]) => files.some(isNew),
    here: (files: readonly OsvFile[]) => packFiles(files.filter(isNew), options),
    packed: (files: readonly OsvFile[]) => {
      const message = inOneBuffer(files.filter(isNew));
      return { message, transfer: buffersOf(message) };
    },
    helpedBatches,
  };
  for await (const { batch, result } of inThreads(batches, work)) {
    yield { files: batch, entries: entriesOfAll(batch, result, kept) };
  }
}

function isNew(file: OsvFile): file is NewFile {
  return file.kind !== 'known';
}

function entriesOfAll(
  files: readonly OsvFile[],
  converted: ConversionBatch,
  kept: KeptConversions | undefined,
): readonly PackedSourceEntry[] {
  let count = 0;
  return files.flatMap((file) => {
    const conversion = file.kind === 'known' ? file.conversion : conversionAt(converted, count++);
    if ('key' in file && file.key !== undefined) kept?.keep(file.key, conversion);
    return entriesOf(conversion, file.place);
  });
}
