// Rows packed in blocks: each block is one MessagePack array of rows. Rows arrive packed, so a block is a
// header and their bytes. deflate-blocks.ts deflates blocks.

import { Packr } from 'msgpackr/pack'; // pure JavaScript: the other entry loads a native addon

/** Plain MessagePack, no extensions, so that any MessagePack library can read it. */
export const plainPackr = new Packr({ useRecords: false, mapsAsObjects: true });

const FIRST_BYTES = 64 << 10;
const HEADER_BYTES = 3;
const SHORT_ROWS = 16; // from here on a header of three bytes

export interface ByteSink {
  append(bytes: Uint8Array): void;
}

/** One block, filled again and again. Requires: at most 65,535 rows. */
export class Block {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = HEADER_BYTES;
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Appends a packed row; the bytes are copied. */
  add(row: Uint8Array): void {
    const length = this.#length + row.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(row, this.#length);
    this.#length = length;
    this.#rowCount++;
  }

  /** The block, after which the next one begins: a view that is valid until the next `add`. */
  take(): Buffer {
    const start = this.#rowCount < SHORT_ROWS ? HEADER_BYTES - 1 : 0;
    if (start > 0)
      this.#bytes[start] = 0x90 | this.#rowCount; // fixarray
    else {
      this.#bytes[0] = 0xdc; // array 16
      this.#bytes.writeUInt16BE(this.#rowCount, 1);
    }
    const block = this.#bytes.subarray(start, this.#length);
    this.#length = HEADER_BYTES;
    this.#rowCount = 0;
    return block;
  }
}
