// The buffer that a thread reuses from answer to answer. What it hands out is a view that the next answer
// overwrites, so the caller sends or copies it first.

import { ByteWriter } from './byte-writer.ts';

const INITIAL_BYTES = 256 * 1024;
const KEEP_BYTES = 8 * 1024 * 1024; // a larger buffer is given up with the answer that needed it
const MAX_BYTES = 2 ** 30;

export class AnswerBuffer extends ByteWriter {
  constructor() {
    super((size) => new Uint8Array(size), INITIAL_BYTES, MAX_BYTES);
  }

  /** Begins a new answer; the view of the last one is no longer its own. */
  restart(): void {
    if (this.capacity > KEEP_BYTES) this.reallocate(INITIAL_BYTES);
    else this.truncate(0);
  }
}
