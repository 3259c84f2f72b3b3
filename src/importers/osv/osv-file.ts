// What the ways of storing an OSV export (a folder, one file, an archive) have in common: they yield files,
// each with at most one record. Reading the record is convert.ts's.

import type { Place } from '../source.ts';

/** One stored file. Its bytes may be a view of a larger buffer, which is not reused. */
export type OsvFile =
  | {
      readonly kind: 'record';
      readonly place: Place;
      readonly bytes: Uint8Array;
      /** What its conversion is kept under; undefined if none is kept. */
      readonly key?: string;
    }
  /** The same as in the last run, and what it was converted to then. */
  | { readonly kind: 'known'; readonly place: Place; readonly key: string; readonly conversion: Uint8Array }
  | { readonly kind: 'skipped'; readonly place: Place; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly place: Place; readonly problem: string };

/** The longest OSV record that is read; the longest published ones have some hundred KB. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

export function isRecordName(name: string): boolean {
  return /\.json$/i.test(name);
}

export function tooLong(bytes: number): string {
  return `has ${bytes} bytes; the limit for one OSV record is ${MAX_FILE_BYTES}; split the file into one record per file`;
}

const BATCH_FILES = 64;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Known files are not counted, but they are held as long as the others of the batch. */
const BATCH_KNOWN_BYTES = 256 * 1024;
const OPEN_OBJECT = 0x7b;

/** Files in batches that are small in number and in memory, also once they are converted. */
export function* inBatches(files: Iterable<OsvFile>): Generator<readonly OsvFile[]> {
  let batch: OsvFile[] = [];
  let others = 0;
  let bytes = 0;
  let knownBytes = 0;
  for (const file of files) {
    batch.push(file);
    if (file.kind === 'known') knownBytes += file.conversion.length;
    else others++;
    if (file.kind === 'record') bytes += convertedBytes(file.bytes);
    if (others < BATCH_FILES && bytes < BATCH_BYTES && knownBytes < BATCH_KNOWN_BYTES) continue;
    yield batch;
    batch = [];
    others = bytes = knownBytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** About: a copy for each package that it names, of which each takes at least two objects. */
function convertedBytes(record: Uint8Array): number {
  let objects = 0;
  for (let at = record.indexOf(OPEN_OBJECT); at !== -1; at = record.indexOf(OPEN_OBJECT, at + 1)) objects++;
  return record.length * Math.max(1, objects / 2);
}
