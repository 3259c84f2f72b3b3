// Where prepared items are kept: one or more memories, each with the items of consecutive ordinals. A memory
// addresses 4 GiB, and part of that is for the areas in which threads assemble answers, so a part is closed
// at half of it. docs/decisions/0012 has the reasons.

import { ByteWriter, WORD_BYTES, WriterFullError } from '../memory/byte-writer.ts';
import { allocateShared, growShared, type SharedMemory } from '../memory/shared-memory.ts';

export interface ItemPart {
  /** Begins with `bytes`; after them come the starts, then the areas of threads. */
  readonly memory: SharedMemory;
  readonly bytes: Uint8Array;
  /** The items from this ordinal up to the next part's. */
  readonly firstOrdinal: number;
  /**
   * Where each of them begins in `bytes`; one more entry marks the end of the last. A comma ends each item.
   * In `memory`.
   */
  readonly itemStart: Uint32Array;
}

export interface ItemLimits {
  /** All items together. */
  readonly totalBytes: number;
  /** A part with more than one item. */
  readonly partBytes: number;
  /** A part with one item. At most MAX_MEMORY_BYTES. */
  readonly memoryBytes: number;
}

const START_BYTES = Uint32Array.BYTES_PER_ELEMENT;
/** A memory addresses 4 GiB; the last page is for the starts of its items. */
export const MAX_MEMORY_BYTES = 2 ** 32 - 64 * 1024;
export const DEFAULT_PART_BYTES = 2 ** 31;

const GROWTH_BYTES = 16 * 1024 * 1024;
const BATCH_BYTES = 128 * 1024; // fits in the CPU cache

/** Puts items into parts, in order of ordinal: append an item to `out`, then call `endItem`. */
export class ItemPartsWriter {
  /** Items are written to plain memory and copied in batches: small writes to shared memory are slow. */
  readonly out: ByteWriter;
  readonly #limits: ItemLimits;
  readonly #count: number;
  readonly #expectedBytes: number;
  readonly #closed: ItemPart[] = [];
  #closedBytes = 0;
  #ordinal = 0;
  #memory: SharedMemory;
  #bytes: Uint8Array;
  #firstOrdinal = 0;
  #itemStart: Uint32Array;
  /** Bytes of the part copied so far; the current batch goes here. */
  #moved = 0;
  /** Where in the batch the current item begins. */
  #begun = 0;

  /** `expectedBytes` is an estimate of the total; reserved memory that is never written costs nothing. */
  constructor(count: number, expectedBytes: number, limits: ItemLimits) {
    this.#limits = limits;
    this.#count = count;
    this.#expectedBytes = expectedBytes;
    const maxBytes = Math.min(limits.totalBytes, limits.memoryBytes);
    this.out = new ByteWriter((size) => new Uint8Array(size), BATCH_BYTES * 2, maxBytes);
    this.#memory = this.#reserve();
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#itemStart = new Uint32Array(count + 1);
  }

  /** Where in `out` the current item begins. */
  get begun(): number {
    return this.#begun;
  }

  /** Throws WriterFullError when a limit is exceeded. */
  endItem(): void {
    const isFirst = this.#ordinal === this.#firstOrdinal;
    if (this.#position() > this.#limits.partBytes && !isFirst) this.#beginPart();
    this.#ordinal++;
    this.#itemStart[this.#ordinal - this.#firstOrdinal] = this.#position();
    if (this.out.length > BATCH_BYTES) this.#moveBatch();
    this.#begun = this.out.length;
  }

  /** At least one part, even without items. */
  finish(): readonly ItemPart[] {
    this.#moveBatch();
    this.#closePart();
    return this.#closed;
  }

  /** Offset of the next byte in the part. */
  #position(): number {
    return this.#moved + this.out.length - this.#lead();
  }

  /**
   * The batch starts with a gap that gives source and target the same alignment: then whole words are copied.
   */
  #lead(): number {
    return this.#moved % WORD_BYTES;
  }

  #moveBatch(): void {
    const batch = this.out.view().subarray(this.#lead());
    const needed = this.#moved + batch.length;
    const { totalBytes, memoryBytes } = this.#limits;
    if (this.#closedBytes + needed > totalBytes) throw new WriterFullError(totalBytes);
    if (needed > memoryBytes) throw new WriterFullError(memoryBytes);
    if (needed > this.#bytes.length) {
      growShared(this.#memory, Math.min(MAX_MEMORY_BYTES, needed + GROWTH_BYTES));
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    this.#bytes.set(batch, this.#moved);
    this.#moved = needed;
    this.out.truncate(this.#lead());
  }

  /**
   * The current item becomes the first of a new part. It keeps its offset modulo a word, because answers pad
   * an item to its alignment: so they have the same bytes however items are divided.
   */
  #beginPart(): void {
    const item = this.out.view().slice(this.#begun);
    this.out.truncate(this.#begun);
    this.#moveBatch();
    const gap = this.#lead();
    this.#closePart();
    this.#moved = gap;
    this.#begun = gap;
    this.#memory = this.#reserve();
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#firstOrdinal = this.#ordinal;
    this.#itemStart = new Uint32Array(this.#count - this.#ordinal + 1);
    this.#itemStart[0] = gap;
    this.out.copy(item, 0, item.length);
  }

  /** The starts go after the items, so that copying functions, which see one memory, can read them. */
  #closePart(): void {
    const starts = this.#itemStart.subarray(0, this.#ordinal - this.#firstOrdinal + 1);
    const at = Math.ceil(this.#moved / START_BYTES) * START_BYTES;
    growShared(this.#memory, at + starts.byteLength);
    const { buffer } = this.#memory;
    const itemStart = new Uint32Array(buffer, at, starts.length);
    itemStart.set(starts);
    this.#closed.push({
      memory: this.#memory,
      bytes: new Uint8Array(buffer, 0, this.#moved),
      firstOrdinal: this.#firstOrdinal,
      itemStart,
    });
    this.#closedBytes += this.#moved;
  }

  #reserve(): SharedMemory {
    const expected = Math.max(0, this.#expectedBytes - this.#closedBytes);
    return allocateShared(Math.min(this.#limits.partBytes, DEFAULT_PART_BYTES, expected));
  }
}
