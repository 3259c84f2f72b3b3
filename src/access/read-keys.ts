// Reads the bytes of a keys file without waiting for anything but storage: anything but a regular file, or a
// file that is too large, is refused unread. A normal open of a FIFO waits for a writer, and nothing ends
// that wait.

import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

const MAX_KEYS_FILE_BYTES = 64 * 1024 * 1024; // about 340,000 keys
const CHUNK_BYTES = 1024 * 1024;
const SHOWN_PROBLEMS = 10; // the message is one log line; `problems` lists them all

export interface KeysFileBytes {
  /** In shared memory, so that another thread can read them without a copy. */
  readonly bytes: Uint8Array;
  /** Their SHA-256. */
  readonly digest: string;
}

/** What is wrong with a keys file, as one line for a log and as a complete list. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';
  readonly file: string;
  readonly problems: readonly string[];

  /** `problemCount` is higher than `problems.length` if some were left out. */
  constructor(file: string, problems: readonly string[], problemCount = problems.length) {
    const shown = problems.slice(0, SHOWN_PROBLEMS);
    const more = problemCount - shown.length;
    super(`${file}: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
    this.file = file;
    this.problems = problems;
  }
}

/** Undefined if there is no file at the path. Throws KeysFileError if it cannot be read. */
export async function findKeysFileBytes(path: string): Promise<KeysFileBytes | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if (error instanceof KeysFileError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new KeysFileError(path, [`cannot be read: ${code ?? message}`]);
  }
}

/** Throws KeysFileError if there is no file at the path, or it cannot be read. */
export async function readKeysFileBytes(path: string): Promise<KeysFileBytes> {
  const found = await findKeysFileBytes(path);
  if (found === undefined) throw new KeysFileError(path, ['does not exist']);
  return found;
}

async function read(path: string): Promise<KeysFileBytes> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) {
      throw new KeysFileError(path, [`is ${kindOf(stats)}; the keys must be in a regular file`]);
    }
    if (stats.size > MAX_KEYS_FILE_BYTES) throw tooLarge(path);
    // One byte more than its size, to detect growth; a growing file is read again at the next poll.
    const room = new Uint8Array(new SharedArrayBuffer(stats.size + 1));
    const hash = createHash('sha256');
    let length = 0;
    // In chunks, with other work in between: this thread also answers probes and scrapers.
    for (;;) {
      const { bytesRead } = await handle.read(room, length, Math.min(CHUNK_BYTES, room.length - length));
      if (bytesRead === 0) break;
      hash.update(room.subarray(length, length + bytesRead));
      length += bytesRead;
      if (length === room.length) throw new KeysFileError(path, ['is being written to']);
    }
    return { bytes: room.subarray(0, length), digest: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

function tooLarge(path: string): KeysFileError {
  const remedy = 'remove keys that are disabled or expired';
  return new KeysFileError(path, [`is larger than the limit of ${MAX_KEYS_FILE_BYTES} bytes; ${remedy}`]);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
