// OSV files to packed drafts, in any thread: converted, checked and serialised. Reading the files is left to
// others.

import { type PackedSourceEntry, packEntry } from '../packed-draft.ts';
import { MAX_COPIED_BYTES, tooManyCopies } from '../record/copied-text.ts';
import type { SourceEntry } from '../source.ts';
import { convertFile } from './convert.ts';
import type { OsvFile } from './osv-file.ts';

export function entriesOfFile(file: OsvFile): readonly SourceEntry[] {
  const { place } = file;
  if (file.kind === 'skipped') return [{ kind: 'skipped', place, reason: file.reason }];
  if (file.kind === 'unreadable') {
    const problems = [{ field: 'file', message: file.problem }];
    return [{ kind: 'reject', reject: { place, bytes: new Uint8Array(0), problems } }];
  }
  return convertFile(place, file.bytes);
}

/**
 * Files as they travel between threads: the bytes of all of them are in one buffer, which is not shared with
 * others.
 */
export function inOneBuffer(files: readonly OsvFile[]): readonly OsvFile[] {
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
function packFile(file: OsvFile): readonly PackedSourceEntry[] {
  const entries: PackedSourceEntry[] = [];
  let bytes = 0;
  for (const entry of entriesOfFile(file)) {
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

/** The entries of all files, in order. The rows of their drafts are in one buffer. */
export function packFiles(files: readonly OsvFile[]): readonly PackedSourceEntry[] {
  const entries = files.flatMap(packFile);
  const rows = new Uint8Array(
    entries.reduce((sum, entry) => sum + (entry.kind === 'packed' ? entry.draft.row.length : 0), 0),
  );
  let at = 0;
  return entries.map((entry) => {
    if (entry.kind !== 'packed') return entry;
    const { row } = entry.draft;
    rows.set(row, at);
    at += row.length;
    return { ...entry, draft: { ...entry.draft, row: rows.subarray(at - row.length, at) } };
  });
}

/** The buffer that `packFiles` and `inOneBuffer` made, to be moved to another thread. */
export function buffersOf(entries: readonly (PackedSourceEntry | OsvFile)[]): ArrayBuffer[] {
  for (const entry of entries) {
    if (entry.kind === 'packed') return [entry.draft.row.buffer as ArrayBuffer]; // packFiles made it
    if (entry.kind === 'record') return [entry.bytes.buffer as ArrayBuffer]; // inOneBuffer made it
  }
  return [];
}
