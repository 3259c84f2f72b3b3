// Scratch files for what a compilation cannot hold in memory: bytes, and rows of bytes that are read back in
// another order, also by another thread. They are unlinked at once, so nothing is left behind however the
// process ends.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readUpTo } from './read-up-to.ts';

const BUFFER_BYTES = 1 << 20;
const WINDOW_BYTES = 256 << 10;
const FIRST_STARTS = 1024;

export class Spill {
  readonly fd: number;
  /** Undefined while there is nothing in it. */
  #pending: Buffer | undefined;
  #pendingBytes = 0;
  #flushedBytes = 0;
  #isOpen = true;

  /** Created in `folder`, which decides what disk is used; the name exists only for a moment. */
  constructor(folder: string) {
    const path = join(folder, `.scratch-${randomUUID()}.tmp`);
    this.fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  get length(): number {
    return this.#flushedBytes + this.#pendingBytes;
  }

  append(bytes: Uint8Array): void {
    if (this.#pendingBytes + bytes.length > BUFFER_BYTES) this.#empty();
    if (bytes.length > BUFFER_BYTES) {
      this.#write(bytes);
      return;
    }
    this.#pending ??= Buffer.allocUnsafe(BUFFER_BYTES);
    this.#pending.set(bytes, this.#pendingBytes);
    this.#pendingBytes += bytes.length;
  }

  /** Afterwards everything appended can be read through `fd`. */
  flush(): void {
    this.#empty();
    this.#pending = undefined; // seldom needed again: most scratch files are written first and then read
  }

  close(): void {
    if (!this.#isOpen) return; // the descriptor's number may have been reused by then
    this.#isOpen = false;
    closeSync(this.fd);
  }

  #empty(): void {
    if (this.#pending !== undefined) this.#write(this.#pending.subarray(0, this.#pendingBytes));
    this.#pendingBytes = 0;
  }

  #write(bytes: Uint8Array): void {
    writeAt(this.fd, bytes, this.#flushedBytes);
    this.#flushedBytes += bytes.length;
  }
}

/** Writes all bytes at a position of a scratch file. */
export function writeAt(fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** Fills the target from a position of a scratch file. */
export function readAt(fd: number, target: Uint8Array, position: number): void {
  const count = readUpTo(fd, target, position);
  if (count < target.length) throw new Error(`scratch file ended at byte ${position + count}`);
}

/** Complete rows in a scratch file. Every thread of the process can read them while the file is open. */
export interface StoredRows {
  readonly fd: number;
  /** Where each row begins, in shared memory; a final entry marks the end of the last. */
  readonly starts: Float64Array;
}

/** Appends rows of bytes, which may be empty. */
export class RowSpill {
  readonly #spill: Spill;
  #starts = new Float64Array(new SharedArrayBuffer(FIRST_STARTS * 8));
  #length = 0;

  constructor(folder: string) {
    this.#spill = new Spill(folder);
  }

  append(bytes: Uint8Array): void {
    this.#spill.append(bytes);
    this.#length++;
    if (this.#length === this.#starts.length) {
      const grown = new Float64Array(new SharedArrayBuffer(this.#starts.byteLength * 2));
      grown.set(this.#starts);
      this.#starts = grown;
    }
    this.#starts[this.#length] = this.#spill.length;
  }

  /** The rows so far. */
  finish(): StoredRows {
    this.#spill.flush();
    return { fd: this.#spill.fd, starts: this.#starts.subarray(0, this.#length + 1) };
  }

  /** Releases the file, and the memory for where its rows are. */
  close(): void {
    this.#spill.close();
    this.#starts = new Float64Array(new SharedArrayBuffer(0));
  }
}

/** Reads rows in any order. Neighbouring rows, ascending or descending, share one read of the file. */
export class RowReader {
  readonly #rows: StoredRows;
  #window = Buffer.allocUnsafe(WINDOW_BYTES);
  /** The file's bytes [start, end) are in the window. */
  #start = 0;
  #end = 0;
  #last = 0;

  constructor(rows: StoredRows) {
    this.#rows = rows;
  }

  /** A view that is valid until the next call. */
  row(index: number): Buffer {
    const { starts } = this.#rows;
    const start = starts[index];
    const end = starts[index + 1];
    if (start < this.#start || end > this.#end) this.#read(start, end);
    this.#last = start;
    return this.#window.subarray(start - this.#start, end - this.#start);
  }

  #read(start: number, end: number): void {
    const { fd, starts } = this.#rows;
    const length = end - start;
    if (length > this.#window.length) this.#window = Buffer.allocUnsafe(length);
    const spare = this.#window.length - length;
    // A row far from the last one is read alone: in an unordered feed its neighbours would be read in vain.
    const isNear = Math.abs(start - this.#last) < WINDOW_BYTES;
    const isDescending = start < this.#last;
    this.#start = isNear && isDescending ? Math.max(0, start - spare) : start;
    this.#end = isNear && !isDescending ? Math.min(starts[starts.length - 1], end + spare) : end;
    readAt(fd, this.#window.subarray(0, this.#end - this.#start), this.#start);
  }
}
