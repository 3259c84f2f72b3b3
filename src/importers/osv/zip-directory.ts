// The central directory of a zip archive, which yauzl reads and checks: the list of entries with their sizes
// and places.

import { readSync } from 'node:fs';
import { Readable } from 'node:stream';
import yauzl, { type Entry } from 'yauzl';
import { SourceError } from '../../download/source-error.ts';
import { printable } from '../../index/memory/text-limits.ts';

/** Every entry, in the directory's order. Throws SourceError for an archive that is not sound. */
export async function* directoryOf(path: string, fd: number, size: number): AsyncGenerator<Entry> {
  try {
    const reader = new WindowReader(fd);
    yield* (await yauzl.fromRandomAccessReaderPromise(reader, size)).eachEntry();
  } catch (error) {
    throw archiveError(path, error as Error);
  }
}

function archiveError(path: string, error: Error): SourceError {
  const message = printable(error.message.replace(/\.$/, ''));
  const remedy = /path|characters/i.test(message)
    ? 'no OSV export has names that lead out of the archive: do not use it'
    : 'the archive is truncated, damaged or not a zip file: fetch it again';
  return new SourceError(`${path}: ${message}; ${remedy}`, { cause: error });
}

const WINDOW_BYTES = 1024 * 1024;

/** yauzl asks for each header of 46 bytes by itself, and again for the name after it. */
class WindowReader extends yauzl.RandomAccessReader {
  readonly #fd: number;
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES);
  #start = 0;
  #length = 0;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    try {
      if (position < this.#start || position + length > this.#start + this.#length) {
        if (length > WINDOW_BYTES) {
          callback(null, readSync(this.#fd, target, offset, length, position));
          return;
        }
        this.#start = position;
        this.#length = readSync(this.#fd, this.#window, 0, WINDOW_BYTES, position);
      }
    } catch (error) {
      callback(error as Error);
      return;
    }
    const from = position - this.#start;
    callback(null, this.#window.copy(target, offset, from, Math.min(from + length, this.#length)));
  }

  /** For the streams of entries, which are not used. */
  override _readStreamForRange(): Readable {
    return Readable.from([]);
  }
}
