// The OSV source: finds out how an export is stored, reads its files, and yields what convert.ts makes of
// each. Records that come twice are all yielded: assemble/ sees to them.

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { SourceError } from '../../download/source-error.ts';
import type { KeptConversions } from '../kept/kept-conversions.ts';
import type { PackedSourceEntry } from '../packed-draft.ts';
import type { SourceReader } from '../source-kind.ts';
import { convertBatches } from './convert-threads.ts';
import { type ConvertOptions, NOT_INFORMATIONAL } from './informational.ts';
import { inBatches, type OsvFile } from './osv-file.ts';
import { filesInFile } from './single-file.ts';
import { filesBelow, linesBelow, readingError } from './tree.ts';
import { filesInZip } from './zip.ts';

type Storage = 'folder' | 'file' | 'zip';
type FileReader = (
  onBytes: (bytes: number) => void,
) => Iterable<readonly OsvFile[]> | AsyncIterable<readonly OsvFile[]>;

/**
 * A folder tree of `.json` and `.ndjson` files, one file of records in any form, or a zip archive of `.json`
 * files; files of lines or lists may be gzipped. Throws SourceError if it is none of these.
 */
export function openOsv(
  path: string,
  kept?: KeptConversions,
  options: ConvertOptions = NOT_INFORMATIONAL,
): SourceReader {
  const { storage, size } = inspect(path);
  const readers: { readonly [storage in Storage]: FileReader } = {
    folder: (onBytes) => batchesBelow(path, onBytes, kept),
    file: (onBytes) => batchesOf(filesInFile(path, onBytes), kept),
    zip: (onBytes) => filesInZip(path, onBytes, kept),
  };
  return {
    label: path,
    unit: 'bytes',
    total: size,
    read: (onProgress) => entriesOf(path, readers[storage](onProgress), kept, options),
  };
}

async function* entriesOf(
  path: string,
  batches: ReturnType<FileReader>,
  kept: KeptConversions | undefined,
  options: ConvertOptions,
): AsyncGenerator<readonly PackedSourceEntry[]> {
  let hasRecords = false;
  for await (const { files, entries } of convertBatches(batches, kept, undefined, options)) {
    hasRecords ||= files.some(({ kind }) => kind !== 'skipped');
    if (entries.length > 0) yield entries;
  }
  if (!hasRecords) {
    throw new SourceError(
      `${path}: contains no .json or .ndjson files; check that it is an export of OSV records`,
    );
  }
}

async function* batchesBelow(
  folder: string,
  onBytes: (bytes: number) => void,
  kept: KeptConversions | undefined,
): AsyncGenerator<readonly OsvFile[]> {
  yield* inBatches(recognised(filesBelow(folder, onBytes), kept));
  for (const path of linesBelow(folder)) yield* batchesOf(filesInFile(path, onBytes), kept);
}

async function* batchesOf(
  files: AsyncIterable<readonly OsvFile[]>,
  kept: KeptConversions | undefined,
): AsyncGenerator<readonly OsvFile[]> {
  for await (const some of files) yield* inBatches(recognised(some, kept));
}

/** Files that were read already: those that were converted in the last run need not be parsed. */
function* recognised(files: Iterable<OsvFile>, kept: KeptConversions | undefined): Generator<OsvFile> {
  for (const file of files) {
    if (kept === undefined || file.kind !== 'record') {
      yield file;
      continue;
    }
    const { place, bytes } = file;
    const key = kept.keyOf(place, bytes);
    const conversion = kept.find(key);
    yield conversion === undefined ? { ...file, key } : { kind: 'known', place, key, conversion };
  }
}

/** How the path is stored, by content and not by name; the size is undefined for a folder. */
function inspect(path: string): { readonly storage: Storage; readonly size: number | undefined } {
  try {
    if (statSync(path).isDirectory()) return { storage: 'folder', size: undefined };
    const fd = openSync(path, 'r');
    try {
      const head = Buffer.alloc(4);
      readSync(fd, head, 0, head.length, 0);
      const { size } = fstatSync(fd);
      if (head[0] === 0x50 && head[1] === 0x4b) return { storage: 'zip', size };
      return { storage: 'file', size };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw error instanceof SourceError ? error : readingError(path, error);
  }
}
