// The content hash of a snapshot, and the sections that are filled on the way: what is hashed is then what is
// served.

import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { HASH_BYTES, HASH_OFFSET } from '../format.ts';

const READ_BYTES = 256 << 10; // small enough to be hashed while still in the CPU cache

/** A part of the file that is kept. */
export interface Filled {
  readonly offset: number;
  readonly bytes: SharedArrayBuffer;
}

/** Of all bytes but those of the hash in the header. A file that ends early has another hash. */
export function contentHash(fd: number, totalBytes: number, filled: readonly Filled[] = []): Buffer {
  const hash = createHash('sha256');
  const scratch = new Uint8Array(READ_BYTES);
  for (let at = 0; at < totalBytes; ) {
    const target = targetAt(filled, at, scratch.subarray(0, totalBytes - at));
    const count = readSync(fd, target, 0, target.length, at);
    if (count === 0) break;
    const bytes = target.subarray(0, count);
    if (at > HASH_OFFSET) hash.update(bytes);
    else hash.update(bytes.subarray(0, HASH_OFFSET)).update(bytes.subarray(HASH_OFFSET + HASH_BYTES));
    at += count;
  }
  return hash.digest();
}

/** Where the bytes from `at` on belong, as far as they are read at once. */
function targetAt(filled: readonly Filled[], at: number, scratch: Uint8Array): Uint8Array {
  let { length } = scratch;
  for (const { offset, bytes } of filled) {
    const within = at - offset;
    if (within < 0) length = Math.min(length, -within);
    else if (within < bytes.byteLength) {
      return new Uint8Array(bytes, within, Math.min(length, bytes.byteLength - within));
    }
  }
  return scratch.subarray(0, length);
}
