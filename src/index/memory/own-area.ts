// Where a thread assembles answers out of shared memory: an area at the end of that memory.
// docs/decisions/0006 says why.

import { compareBytes } from './bytes.ts';
import {
  type CopyFunctions,
  copyFunctionsOf,
  MAX_SEPARATOR_BYTES,
  PAGE_BYTES,
  type SharedMemory,
} from './shared-memory.ts';

const START_BYTES = Uint32Array.BYTES_PER_ELEMENT;
/** Separators that are kept in an area. */
const KEPT_BYTES = 1024;

/**
 * A part of a shared memory that only one thread writes to, and fills from the rest of that memory. An answer
 * is begun with `restart`, then appended to; `view` gives the whole.
 */
export class OwnArea {
  /** The whole area: separators, the answer, and what copying a separator may write beyond its end. */
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #mostEnd: number;
  readonly #functions: CopyFunctions;
  /** Where each separator is in the memory. */
  readonly #kept = new Map<Uint8Array, number>();
  /** Where the answer ends; beyond the area when it did not fit. */
  #end = KEPT_BYTES;

  /**
   * Allocates a new area at the end of the memory, for answers of at most `answerBytes`; it is never freed
   * while the memory lives. A thread takes one for each generation. Undefined when the memory cannot grow by
   * that much.
   */
  static take(memory: SharedMemory, answerBytes: number): OwnArea | undefined {
    try {
      const pages = Math.ceil((KEPT_BYTES + answerBytes + MAX_SEPARATOR_BYTES) / PAGE_BYTES);
      return new OwnArea(memory, memory.grow(pages) * PAGE_BYTES, KEPT_BYTES + answerBytes);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  private constructor(memory: SharedMemory, start: number, mostEnd: number) {
    this.#bytes = new Uint8Array(memory.buffer, start, mostEnd);
    this.#start = start;
    this.#mostEnd = mostEnd;
    this.#functions = copyFunctionsOf(memory);
  }

  /** Begins a new answer, which overwrites the previous one. */
  restart(): void {
    this.#end = KEPT_BYTES;
  }

  /** Bytes of the answer so far. */
  get length(): number {
    return this.#end - KEPT_BYTES;
  }

  /** Appends bytes from elsewhere. */
  piece(piece: Uint8Array): void {
    const at = this.#end;
    this.#end += piece.length;
    if (!this.isFull) this.#bytes.set(piece, at);
  }

  /** Appends the memory's bytes first..last. */
  range(first: number, last: number): void {
    const at = this.#end;
    this.#end += last - first;
    if (!this.isFull) this.#functions.c(this.#start + at, first, last - first);
  }

  /**
   * Appends the ranges of the memory from starts[first] to starts[last], each without its last `cut` bytes
   * and followed by `separator`. Requires: `starts` is in the same memory; `separator` is a constant of at
   * most MAX_SEPARATOR_BYTES.
   */
  separated(starts: Uint32Array, first: number, last: number, cut: number, separator: Uint8Array): void {
    if (first >= last) return;
    const at = this.#end;
    this.#end += starts[last] - starts[first] + (last - first) * (separator.length - cut);
    if (this.isFull) return;
    const { byteOffset } = starts;
    const kept = this.#keep(separator);
    const [from, to] = [byteOffset + first * START_BYTES, byteOffset + last * START_BYTES];
    this.#functions.s(this.#start + at, from, to, cut, kept, separator.length);
  }

  /** Drops everything after `length`. Requires: at most what was appended. */
  truncate(length: number): void {
    if (!this.isFull) this.#end = KEPT_BYTES + length;
  }

  /** Whether something did not fit. Then the answer is lost. */
  get isFull(): boolean {
    return this.#end > this.#mostEnd;
  }

  /** Where the memory has a copy of a separator. */
  #keep(separator: Uint8Array): number {
    const known = this.#kept.get(separator);
    if (known !== undefined) return known;
    const at = this.#kept.size * MAX_SEPARATOR_BYTES;
    if (at >= KEPT_BYTES || separator.length > MAX_SEPARATOR_BYTES) {
      throw new RangeError('a separator is too long, or there are too many');
    }
    this.#bytes.set(separator, at);
    this.#kept.set(separator, this.#start + at);
    return this.#start + at;
  }

  /** The answer if it begins and ends with these bytes, and was made with as many there. */
  viewBetween(
    before: Uint8Array,
    beforeBytes: number,
    after: Uint8Array,
    afterBytes: number,
  ): Uint8Array | undefined {
    if (before.length !== beforeBytes || after.length !== afterBytes || this.isFull) return undefined;
    const end = this.#end;
    const bytes = this.#bytes;
    const hasEnds =
      compareBytes(bytes, KEPT_BYTES, KEPT_BYTES + beforeBytes, before, 0, beforeBytes) === 0 &&
      compareBytes(bytes, end - afterBytes, end, after, 0, afterBytes) === 0;
    return hasEnds ? this.view() : undefined;
  }

  /** The answer, valid until `restart`. Undefined when it did not fit. */
  view(): Uint8Array | undefined {
    return this.isFull ? undefined : this.#bytes.subarray(KEPT_BYTES, this.#end);
  }
}
