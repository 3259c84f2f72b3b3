// The buffer that a thread reuses for every answer. It returns a view that the next answer overwrites, so the
// caller must send or copy it first.

import { ByteWriter } from './byte-writer.ts';

const INITIAL_BYTES = 256 * 1024;
const KEEP_BYTES = 32 * 1024 * 1024; // a larger buffer is released when the next answer begins
const MAX_BYTES = 2 ** 30;

export class AnswerBuffer extends ByteWriter {
  constructor() {
    super((size) => new Uint8Array(size), INITIAL_BYTES, MAX_BYTES);
  }

  /** Begins a new answer; the view of the previous one becomes invalid. */
  restart(): void {
    this.limitTo(MAX_BYTES);
    if (this.capacity > KEEP_BYTES) this.reallocate(INITIAL_BYTES);
    else this.truncate(0);
  }

  /** Releases a buffer that has grown. Requires: the view of the previous answer is no longer needed. */
  shrink(): void {
    if (this.capacity > INITIAL_BYTES) this.reallocate(INITIAL_BYTES);
  }
}
