// Splits files into lines: streams a feed file, gunzips it if its content is gzip, and cuts it at line feeds.
// A line is bytes here; the importer checks for UTF-8 and for meaning.

import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { SourceError } from '../../download/source-error.ts';

/** A line without its line feed or CRLF. */
export interface Line {
  /** 1 for the first line of the file; blank lines count but are not yielded. */
  readonly number: number;
  /** A view of a larger chunk: copy it to keep it, otherwise the whole chunk stays in memory. */
  readonly bytes: Uint8Array;
}

type FeedFileErrorCode =
  | 'unreadable'
  | 'truncated'
  | 'corrupt'
  | 'line-too-long'
  | 'blank'
  | 'no-advisory'
  | 'osv';

/** A file that cannot be read to its end. What is missing is unknown, so no option may skip it. */
export class FeedFileError extends SourceError {
  override readonly name = 'FeedFileError';
  readonly file: string;
  readonly code: FeedFileErrorCode;

  constructor(file: string, code: FeedFileErrorCode, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, cause === undefined ? {} : { cause });
    this.file = file;
    this.code = code;
  }
}

export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Of blank lines in a row, with their ends. A few bytes of gzip can inflate to any number of them. */
const MAX_BLANK_BYTES = 1024 * 1024;

/** Used in place of a path. */
const STANDARD_INPUT = '-';

const READ_BYTES = 1024 * 1024;
// zlib's default of 16 KiB costs a thread pool round trip for every ten lines or so.
const INFLATE_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** Throws FeedFileError if the file clearly cannot be read; does not open it. */
export function requireReadable(path: string): void {
  if (path === STANDARD_INPUT) return;
  try {
    if (statSync(path).isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw readingError(path, error);
  }
}

/** As stored, so compressed if it is. Undefined for standard input, and for a file that is not there. */
export function sizeOf(path: string): number | undefined {
  return path === STANDARD_INPUT ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
}

/**
 * The lines of a file in order, in batches of at least one; blank lines are skipped. `-` is standard input.
 * `onBytes` gets the number of bytes of the file (compressed, if it is) read since the last call. Throws
 * FeedFileError, possibly after batches were yielded, also for a file without lines, or with more than
 * `maxBlankBytes` of blank ones in a row.
 */
export async function* readLines(
  path: string,
  onBytes?: (bytes: number) => void,
  maxBlankBytes: number = MAX_BLANK_BYTES,
): AsyncGenerator<Line[]> {
  let number = 0;
  let held: Buffer[] = []; // pieces of a line whose end has not arrived
  let heldBytes = 0;
  let batch: Line[] = [];
  let isEmpty = true;
  let blankBytes = 0;
  let lastLine = 0; // that was not blank

  const take = (bytes: Buffer): void => {
    number++;
    const line = trimmed(number === 1 ? withoutByteOrderMark(bytes) : bytes);
    if (line.length > MAX_LINE_BYTES) throw lineTooLong(path, number);
    if (isBlank(line)) {
      blankBytes += bytes.length + 1;
      if (blankBytes > maxBlankBytes) throw tooManyBlanks(path, lastLine + 1, number, maxBlankBytes);
      return;
    }
    blankBytes = 0;
    lastLine = number;
    batch.push({ number, bytes: line });
    isEmpty = false;
  };

  for await (const chunk of readContent(path, onBytes)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const piece = chunk.subarray(start, end);
      take(heldBytes === 0 ? piece : Buffer.concat([...held, piece]));
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      held.push(chunk.subarray(start));
      heldBytes += chunk.length - start;
      // Refused while it grows: its end may never come. The extra byte allows for a carriage return.
      if (heldBytes > MAX_LINE_BYTES + 1) throw lineTooLong(path, number + 1);
    }
    if (batch.length > 0) {
      yield batch;
      batch = [];
    }
  }
  if (heldBytes > 0) take(Buffer.concat(held));
  if (batch.length > 0) yield batch;
  if (!isEmpty) return;
  const problem = 'the file contains no advisories; check that it is the right file';
  throw new FeedFileError(path, 'no-advisory', problem);
}

function lineTooLong(path: string, number: number): FeedFileError {
  return new FeedFileError(
    `${path}:${number}`,
    'line-too-long',
    `the line is longer than ${MAX_LINE_BYTES} bytes; a feed has one advisory per line`,
  );
}

function tooManyBlanks(path: string, first: number, last: number, maxBytes: number): FeedFileError {
  return new FeedFileError(
    `${path}:${last}`,
    'blank',
    `the lines from ${first} to here are blank and have more than ${maxBytes} bytes; expected an advisory, got ` +
      `nothing: check that it is the right file, or remove the blank lines`,
  );
}

function trimmed(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === SPACE || byte === TAB);
}

/**
 * The file's bytes, gunzipped if it starts with the gzip magic. Chunks are not reused after they are yielded.
 * `onBytes` as in readLines. Throws FeedFileError.
 */
export async function* readContent(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const source =
    path === STANDARD_INPUT ? process.stdin : createReadStream(path, { highWaterMark: READ_BYTES });
  let bytesRead = 0;
  const counted = countedChunks(source, (bytes) => {
    bytesRead += bytes;
    onBytes?.(bytes);
  });
  try {
    const head = await headOf(counted);
    if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(path, head, counted, () => bytesRead);
    else {
      yield head;
      yield* counted;
    }
  } catch (error) {
    throw error instanceof FeedFileError ? error : readingError(path, error);
  } finally {
    source.destroy();
  }
}

async function* countedChunks(
  source: AsyncIterable<Buffer | string>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    // no encoding is set, so chunks are bytes
    onBytes(chunk.length);
    yield chunk;
  }
}

/** At least the two bytes of the magic, or all of a shorter file: a pipe may deliver them one by one. */
async function headOf(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* gunzipped(
  path: string,
  head: Buffer,
  rest: AsyncGenerator<Buffer>,
  bytesRead: () => number,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: INFLATE_BYTES });
  const feeding = pipeline(async function* () {
    yield head;
    yield* rest;
  }, gunzip);
  feeding.catch(() => {}); // the loop below throws the same error; this only prevents an unhandled rejection
  yield* gunzip as AsyncIterable<Buffer>;
  // zlib silently stops at a zero byte after a member, whatever follows.
  if (gunzip.bytesWritten < bytesRead()) {
    throw new FeedFileError(
      path,
      'corrupt',
      `there is extra data after the gzip content, at byte ${gunzip.bytesWritten}; fetch or compress the file again`,
    );
  }
}

function readingError(path: string, error: unknown): FeedFileError {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'Z_BUF_ERROR':
      return new FeedFileError(
        path,
        'truncated',
        'the gzip content ends too early; fetch the file again',
        error,
      );
    case 'Z_DATA_ERROR':
      return new FeedFileError(
        path,
        'corrupt',
        `the gzip content is damaged (${message}); fetch the file again`,
        error,
      );
    case 'ENOENT':
      return new FeedFileError(path, 'unreadable', 'no such file; check the path', error);
    case 'EISDIR':
      return new FeedFileError(path, 'unreadable', 'this is a folder; name a file in it', error);
    case 'EACCES':
    case 'EPERM':
      return new FeedFileError(
        path,
        'unreadable',
        'no permission to read the file; check its permissions',
        error,
      );
    default:
      return new FeedFileError(path, 'unreadable', `reading failed (${message}); try again`, error);
  }
}
