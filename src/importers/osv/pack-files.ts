// OSV files to packed drafts, in any thread: converted, checked and serialised. Reading the files is left to
// others.

import { Conversion, type ConversionBatch, joined } from '../kept/conversion.ts';
import { type PackedSourceEntry, packEntry } from '../packed-draft.ts';
import { MAX_COPIED_BYTES, tooManyCopies } from '../record/record.ts';
import type { SourceEntry } from '../source.ts';
import { convertFile } from './convert.ts';
import { type ConvertOptions, NOT_INFORMATIONAL } from './informational.ts';
import type { OsvFile } from './osv-file.ts';

/** A file that has to be converted. */
export type NewFile = Exclude<OsvFile, { readonly kind: 'known' }>;

export function convertedFile(file: NewFile, options: ConvertOptions): readonly SourceEntry[] {
  const { place } = file;
  if (file.kind === 'skipped') return [{ kind: 'skipped', place, reason: file.reason }];
  if (file.kind === 'unreadable') {
    const problems = [{ field: 'file', message: file.problem }];
    return [{ kind: 'reject', reject: { place, bytes: new Uint8Array(0), problems } }];
  }
  return convertFile(place, file.bytes, options);
}

/**
 * Files as they travel between threads: the bytes of all of them are in one buffer, which is not shared with
 * others.
 */
export function inOneBuffer(files: readonly NewFile[]): readonly NewFile[] {
  const length = files.reduce((sum, file) => sum + (file.kind === 'record' ? file.bytes.length : 0), 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  return files.map((file) => {
    if (file.kind !== 'record') return file;
    bytes.set(file.bytes, at);
    at += file.bytes.length;
    return { ...file, bytes: bytes.subarray(at - file.bytes.length, at) };
  });
}

/** One reject if the copies of its text are too large. */
function packFile(file: NewFile, options: ConvertOptions): readonly PackedSourceEntry[] {
  const entries: PackedSourceEntry[] = [];
  let bytes = 0;
  for (const entry of convertedFile(file, options)) {
    const packed = packEntry(entry);
    if (packed.kind === 'packed') bytes += packed.draft.row.length;
    if (packed.kind === 'reject') bytes += packed.reject.bytes.length;
    if (bytes > MAX_COPIED_BYTES && entries.length > 0 && file.kind === 'record') {
      const problems = [tooManyCopies('affected')];
      return [{ kind: 'reject', reject: { place: file.place, bytes: new Uint8Array(file.bytes), problems } }];
    }
    entries.push(packed);
  }
  return entries;
}

/** What becomes of each file, in order. */
export function packFiles(files: readonly NewFile[], options = NOT_INFORMATIONAL): ConversionBatch {
  return joined(files.map((file) => new Conversion(packFile(file, options))));
}

/** The buffer that `inOneBuffer` made, to be moved to another thread. */
export function buffersOf(files: readonly NewFile[]): ArrayBuffer[] {
  for (const file of files) {
    if (file.kind === 'record') return [file.bytes.buffer as ArrayBuffer]; // inOneBuffer made it
  }
  return [];
}
