// A scratch file for what a compilation cannot hold in memory. It is unlinked at once, so nothing is left behind
// however the process ends.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BUFFER_BYTES = 1 << 20;

export class Spill {
  readonly #fd: number;
  readonly #pending = Buffer.allocUnsafe(BUFFER_BYTES);
  #pendingBytes = 0;
  #flushedBytes = 0;

  /** Created in `folder`, which decides what disk is used; the name exists only for a moment. */
  constructor(folder: string) {
    const path = join(folder, `.scratch-${randomUUID()}.tmp`);
    this.#fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  get length(): number {
    return this.#flushedBytes + this.#pendingBytes;
  }

  append(bytes: Uint8Array): void {
    if (this.#pendingBytes + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) {
      this.#write(bytes);
      return;
    }
    this.#pending.set(bytes, this.#pendingBytes);
    this.#pendingBytes += bytes.length;
  }

  read(offset: number, length: number): Buffer {
    if (offset + length > this.#flushedBytes) this.#flush();
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.#fd, bytes, done, length - done, offset + done);
      if (count === 0) throw new Error(`scratch file ended at byte ${offset + done}`);
      done += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #flush(): void {
    this.#write(this.#pending.subarray(0, this.#pendingBytes));
    this.#pendingBytes = 0;
  }

  #write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#flushedBytes + done);
    }
    this.#flushedBytes += bytes.length;
  }
}
