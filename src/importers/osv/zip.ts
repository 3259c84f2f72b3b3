// OSV records in a zip archive, as osv.dev exports them: hundreds of thousands of entries of a few KB.
// zip-directory.ts lists the entries; they are read here, since a stream for each would take minutes.
//
//     central directory, 512 entries at a time -> sorted by offset -> runs of neighbours, one read each
//       -> converted in the last run, by what is stored? if not: inflate, check
//
// What yauzl's streams check is checked here too: the size before and after, and also the CRC.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import { SourceError } from '../../download/source-error.ts';
import { readUpTo } from '../../files/read-up-to.ts';
import { printable } from '../../index/memory/text-limits.ts';
import type { KeptConversions } from '../kept/kept-conversions.ts';
import type { Place } from '../source.ts';
import { inBatches, isRecordName, MAX_FILE_BYTES, type OsvFile, tooLong } from './osv-file.ts';
import { readingError } from './tree.ts';
import { directoryOf } from './zip-directory.ts';

const BATCH_ENTRIES = 512;
const RUN_BYTES = 4 * 1024 * 1024;
/** A read may pass over this much between two entries; more is cheaper to skip. */
const GAP_BYTES = 64 * 1024;
/** Extra fields before an entry's data, which the directory does not tell the length of. */
const EXPECTED_EXTRA_BYTES = 64;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/**
 * The entries of an archive in batches; folders are not entries. `onBytes` gets the bytes of the archive that
 * were passed since the last call. Throws SourceError for an archive that is not sound.
 */
export async function* filesInZip(
  path: string,
  onBytes: (bytes: number) => void,
  kept?: KeptConversions,
): AsyncGenerator<readonly OsvFile[]> {
  const fd = openArchive(path);
  try {
    const { size } = fstatSync(fd);
    const archive = new Archive(path, fd, size, onBytes, kept);
    let batch: Entry[] = [];
    for await (const entry of directoryOf(path, fd, size)) {
      batch.push(entry);
      if (batch.length < BATCH_ENTRIES) continue;
      yield* inBatches(archive.read(batch));
      batch = [];
    }
    yield* inBatches(archive.read(batch));
    archive.finish();
  } finally {
    closeSync(fd);
  }
}

function openArchive(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw readingError(path, error);
  }
}

class Archive {
  readonly #path: string;
  readonly #fd: number;
  readonly #size: number;
  readonly #onBytes: (bytes: number) => void;
  readonly #kept: KeptConversions | undefined;
  #claimedBytes = 0;

  constructor(
    path: string,
    fd: number,
    size: number,
    onBytes: (bytes: number) => void,
    kept: KeptConversions | undefined,
  ) {
    this.#path = path;
    this.#fd = fd;
    this.#size = size;
    this.#onBytes = onBytes;
    this.#kept = kept;
  }

  *read(batch: readonly Entry[]): Generator<OsvFile> {
    const readable: Entry[] = [];
    for (const entry of batch) {
      this.#claim(entry);
      if (entry.fileName.endsWith('/')) continue;
      const other = this.#refusal(entry);
      if (other === undefined) readable.push(entry);
      else yield other;
    }
    for (const run of runsOf(readable)) yield* this.#readRun(run);
  }

  /** Reports what has not been passed entry by entry: the directory. */
  finish(): void {
    this.#onBytes(this.#size - this.#claimedBytes);
  }

  /** Entries that share their bytes are how a small archive holds petabytes. */
  #claim(entry: Entry): void {
    const bytes = LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
    this.#claimedBytes += bytes;
    if (this.#claimedBytes > this.#size) {
      throw new SourceError(
        `${this.#path}: the entries together have more bytes than the archive; it is damaged, or made to fill a disk: fetch it again from its source`,
      );
    }
    this.#onBytes(bytes);
  }

  /** Why an entry is not read, from what the directory says of it. */
  #refusal(entry: Entry): OsvFile | undefined {
    const place = { file: this.#path, entry: printable(entry.fileName) };
    const refused = (problem: string): OsvFile => ({ kind: 'unreadable', place, problem });
    if (!isRecordName(entry.fileName)) return { kind: 'skipped', place, reason: 'not a .json file' };
    if (entry.isEncrypted()) return refused('is encrypted; make the archive without a password');
    const { compressionMethod, uncompressedSize, compressedSize } = entry;
    if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
      return refused(`is compressed by method ${compressionMethod}; only deflate is read`);
    }
    const bytes = Math.max(uncompressedSize, compressedSize);
    return bytes > MAX_FILE_BYTES ? refused(tooLong(bytes)) : undefined;
  }

  *#readRun(entries: readonly Entry[]): Generator<OsvFile> {
    const start = entries[0].relativeOffsetOfLocalHeader;
    const run = this.#bytesAt(start, Math.max(...entries.map(expectedEnd)) - start);
    for (const entry of entries) {
      const place = { file: this.#path, entry: printable(entry.fileName) };
      const stored = this.#storedOf(entry, run, start);
      const file = typeof stored === 'string' ? stored : this.#fileOf(entry, place, stored);
      if (typeof file !== 'string') yield file;
      else yield { kind: 'unreadable', place, problem: `${file}; fetch the archive again` };
    }
  }

  /**
   * The entry's bytes as they are stored, or what is wrong with it. `run` holds the archive's bytes from
   * `start` on.
   */
  #storedOf(entry: Entry, run: Buffer, start: number): Buffer | string {
    const at = entry.relativeOffsetOfLocalHeader - start;
    if (at + LOCAL_HEADER_BYTES > run.length) return 'begins beyond the end of the archive';
    if (run.readUInt32LE(at) !== LOCAL_HEADER_SIGNATURE) return 'does not begin with a local file header';
    const from = at + LOCAL_HEADER_BYTES + run.readUInt16LE(at + 26) + run.readUInt16LE(at + 28);
    const end = from + entry.compressedSize;
    const stored =
      end <= run.length ? run.subarray(from, end) : this.#bytesAt(start + from, entry.compressedSize);
    return stored.length < entry.compressedSize ? 'extends beyond the end of the archive' : stored;
  }

  /** The entry as a file, or what is wrong with it. */
  #fileOf(entry: Entry, place: Place, stored: Buffer): OsvFile | string {
    const { compressionMethod, uncompressedSize, crc32: crc } = entry;
    const key = this.#kept?.keyOf(place, stored, [compressionMethod, uncompressedSize, crc]);
    const conversion = key === undefined ? undefined : this.#kept?.find(key);
    if (key !== undefined && conversion !== undefined) return { kind: 'known', place, key, conversion };
    const content = compressionMethod === STORED ? stored : inflate(stored, uncompressedSize);
    if (typeof content === 'string') return content;
    if (content.length !== uncompressedSize) {
      return `has ${content.length} bytes; the directory says ${uncompressedSize}`;
    }
    if (crc32(content) !== crc) return 'is damaged: its checksum is wrong';
    return { kind: 'record', place, bytes: content, ...(key === undefined ? {} : { key }) };
  }

  /** Fewer than asked for at the end of the archive. */
  #bytesAt(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - position)));
    try {
      return bytes.subarray(0, readUpTo(this.#fd, bytes, position));
    } catch (error) {
      throw readingError(this.#path, error);
    }
  }
}

/** Inflates to at most the size that the directory tells, however much there is. */
function inflate(stored: Buffer, size: number): Buffer | string {
  try {
    return inflateRawSync(stored, { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      return `inflates to more than the ${size} bytes that the directory says`;
    return `is damaged (${message})`;
  }
}

function expectedEnd(entry: Entry): number {
  const { relativeOffsetOfLocalHeader: start, fileNameLength, extraFieldLength, compressedSize } = entry;
  return (
    start + LOCAL_HEADER_BYTES + fileNameLength + extraFieldLength + EXPECTED_EXTRA_BYTES + compressedSize
  );
}

/** Neighbours together, ascending. Entries are not always in the directory's order. */
function* runsOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  const sorted = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let run: Entry[] = [];
  let end = 0;
  for (const entry of sorted) {
    const start = entry.relativeOffsetOfLocalHeader;
    const isNear = start <= end + GAP_BYTES;
    const fits = run.length > 0 && expectedEnd(entry) - run[0].relativeOffsetOfLocalHeader <= RUN_BYTES;
    if (run.length > 0 && !(isNear && fits)) {
      yield run;
      run = [];
    }
    run.push(entry);
    end = Math.max(run.length === 1 ? 0 : end, expectedEnd(entry));
  }
  if (run.length > 0) yield run;
}
