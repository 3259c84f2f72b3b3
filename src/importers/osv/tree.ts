// OSV records as files in a folder tree: an unpacked export, or a checkout of a database. Owns which files
// count and in what order; symbolic links are reported, never followed, so no record comes from outside the
// tree.

import { closeSync, type Dirent, fstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SourceError } from '../../download/source-error.ts';
import { readUpTo } from '../../files/read-up-to.ts';
import { isRecordName, MAX_FILE_BYTES, type OsvFile, tooLong } from './osv-file.ts';

/**
 * The files named `*.json` below `folder`, sorted by path, part by part. Names that begin with a dot are left
 * out (`.git`), and so is every other file. `onBytes` gets the size of each file. Throws SourceError.
 */
export function* filesBelow(folder: string, onBytes: (bytes: number) => void): Generator<OsvFile> {
  for (const item of itemsOf(folder)) {
    if (item.name.startsWith('.')) continue;
    const path = join(folder, item.name);
    if (item.isDirectory()) yield* filesBelow(path, onBytes);
    else if (!isRecordName(item.name) && !item.isSymbolicLink()) continue;
    else if (item.isFile()) yield readRecordFile(path, onBytes);
    else yield { kind: 'skipped', place: { file: path }, reason: 'symbolic link or special file' };
  }
}

/** The files of a record a line, named `*.ndjson` or `*.ndjson.gz`, in the same order. Throws SourceError. */
export function* linesBelow(folder: string): Generator<string> {
  for (const item of itemsOf(folder)) {
    if (item.name.startsWith('.')) continue;
    const path = join(folder, item.name);
    if (item.isDirectory()) yield* linesBelow(path);
    else if (item.isFile() && /\.ndjson(?:\.gz)?$/i.test(item.name)) yield path;
  }
}

/** Throws SourceError if the file cannot be read: what it says is then unknown. */
export function readRecordFile(path: string, onBytes: (bytes: number) => void): OsvFile {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const { size } = fstatSync(fd);
    onBytes(size);
    if (size > MAX_FILE_BYTES) return { kind: 'unreadable', place: { file: path }, problem: tooLong(size) };
    const bytes = Buffer.allocUnsafe(size);
    const count = readUpTo(fd, bytes, 0); // fewer if the file has shrunk since
    return { kind: 'record', place: { file: path }, bytes: bytes.subarray(0, count) };
  } catch (error) {
    throw readingError(path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function itemsOf(folder: string): Dirent[] {
  try {
    // Code units, not a locale's order: the same on every machine.
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw readingError(folder, error);
  }
}

export function readingError(path: string, error: unknown): SourceError {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem =
    code === 'ENOENT'
      ? 'no such file or folder; check the path'
      : code === 'EACCES' || code === 'EPERM'
        ? 'no permission to read it; check its permissions'
        : `reading failed (${message}); try again`;
  return new SourceError(`${path}: ${problem}`, { cause: error });
}
