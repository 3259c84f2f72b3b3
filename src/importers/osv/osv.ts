// The OSV source: finds out how an export is stored, reads its files, and yields what convert.ts makes of each. Owns the
// batches, and records that come twice.
//
// A record with an id that came before is skipped if it is the same file again. One that says something else is yielded
// too, as drafts cannot be taken back: of two drafts with the same source id and product, the one with the later
// `modified_at` counts.

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { type SourceEntry, SourceError, type SourceReader } from '../source.ts';
import { convertFile } from './convert.ts';
import { inBatches, type OsvFile } from './osv-file.ts';
import { filesBelow, readingError, readRecordFile } from './tree.ts';
import { filesInZip } from './zip.ts';

type Storage = 'folder' | 'file' | 'zip';
type FileReader = (
  onBytes: (bytes: number) => void,
) => Iterable<readonly OsvFile[]> | AsyncIterable<readonly OsvFile[]>;

/** A folder tree of `.json` files, one such file, or a zip archive of them. Throws SourceError if it is none of these. */
export function openOsv(path: string): SourceReader {
  const { storage, size } = inspect(path);
  const readers: { readonly [storage in Storage]: FileReader } = {
    folder: (onBytes) => inBatches(filesBelow(path, onBytes)),
    file: (onBytes) => inBatches([readRecordFile(path, onBytes)]),
    zip: (onBytes) => filesInZip(path, onBytes),
  };
  return {
    kind: 'osv',
    label: path,
    unit: 'bytes',
    total: size,
    read: (onProgress) => entriesOf(path, readers[storage](onProgress)),
  };
}

async function* entriesOf(
  path: string,
  batches: ReturnType<FileReader>,
): AsyncGenerator<readonly SourceEntry[]> {
  const repeated = new RepeatedRecords();
  let hasRecords = false;
  for await (const files of batches) {
    const entries = files.flatMap((file) => entriesOfFile(file, repeated));
    hasRecords ||= files.some(({ kind }) => kind !== 'skipped');
    if (entries.length > 0) yield entries;
  }
  if (!hasRecords) {
    throw new SourceError(`${path}: contains no .json files; check that it is an export of OSV records`);
  }
}

function entriesOfFile(file: OsvFile, repeated: RepeatedRecords): readonly SourceEntry[] {
  const { place } = file;
  if (file.kind === 'skipped') return [{ kind: 'skipped', place, reason: file.reason }];
  if (file.kind === 'unreadable') {
    const problems = [{ field: 'file', message: file.problem }];
    return [{ kind: 'reject', reject: { place, bytes: new Uint8Array(0), problems } }];
  }
  const { entries, id } = convertFile(place, file.bytes);
  if (id === undefined || !repeated.has(id, file.bytes.length, file.checksum)) return entries;
  return entries.map(() => ({ kind: 'skipped', place, reason: 'repeated record' }));
}

/** Tells which files repeat an earlier one, by id, length and checksum: the bytes are not kept. */
class RepeatedRecords {
  readonly #seen = new Map<string, number>();

  /** Whether the last file with the id was the same. Remembers this one. */
  has(id: string, length: number, checksum: number): boolean {
    // A number is exact to 53 bits, so 21 are left for the length: its lowest.
    const fingerprint = checksum * 2 ** 21 + (length % 2 ** 21);
    if (this.#seen.get(id) === fingerprint) return true;
    this.#seen.set(id, fingerprint);
    return false;
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
      if (head[0] === 0x1f && head[1] === 0x8b) {
        throw new SourceError(`${path}: is a gzip file; unpack it, or name a zip archive or a folder`);
      }
      return { storage: 'file', size };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw error instanceof SourceError ? error : readingError(path, error);
  }
}
