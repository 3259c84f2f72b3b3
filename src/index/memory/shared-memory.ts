// Memory shared by threads, with full-speed copies inside it. V8 copies between views of shared memory word by word, in
// case another thread is writing there; WebAssembly's memory.copy over the same memory takes a quarter of the time. It
// is safe here because every byte is written before another thread learns of it. docs/decisions/0006 says why this is
// not used more widely.

/** The parts of the standard interface used here, which TypeScript's ECMAScript library types lack. */
declare namespace WebAssembly {
  class Memory {
    constructor(limits: { readonly initial: number; readonly maximum: number; readonly shared: true });
    readonly buffer: SharedArrayBuffer;
    /** Adds pages at the end and returns the previous number. Throws RangeError at the maximum. */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { readonly v: { readonly m: Memory } });
    readonly exports: { readonly c: (target: number, source: number, count: number) => void };
  }
}

/** Can be posted to another thread, which then sees the same bytes. */
export type SharedMemory = WebAssembly.Memory;

const PAGE_BYTES = 64 * 1024; // fixed by WebAssembly
const MAX_PAGES = 65_536; // 4 GiB, all that 32 bits can address

/**
 * Memory of at least this size. Pages that are never written cost nothing, but V8 reserves some 10 GiB of address space
 * for each memory, whatever its size. Throws RangeError beyond 4 GiB, or if the process may not reserve that much.
 */
export function allocateShared(bytes: number): SharedMemory {
  const initial = Math.ceil(bytes / PAGE_BYTES);
  if (initial > MAX_PAGES) throw new RangeError(`${bytes} bytes of shared memory exceed 4 GiB`);
  try {
    return new WebAssembly.Memory({ initial, maximum: MAX_PAGES, shared: true });
  } catch (error) {
    throw new RangeError(
      'the process may not reserve 10 GiB of address space for a snapshot, which costs no memory: raise its ' +
        'address-space limit (ulimit -v, LimitAS=)',
      { cause: error },
    );
  }
}

/** Grows the memory in place to at least this size; earlier views keep their old length. Throws RangeError. */
export function growShared(memory: SharedMemory, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
  if (missing > 0) memory.grow(missing);
}

// The module, in the binary format of WebAssembly 1.0 with threads and bulk memory:
//   (import "v" "m" (memory 0 65536 shared))
//   (func (export "c") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
// biome-ignore format: one line per section
const COPY_MODULE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // magic, version
  0x01, 0x07, 0x01, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x00, // types: one function of three i32 without a result
  0x02, 0x0b, 0x01, 0x01, 0x76, 0x01, 0x6d, 0x02, 0x03, 0x00, 0x80, 0x80, 0x04, // imports: v.m, shared, 0 to 65536 pages
  0x03, 0x02, 0x01, 0x00, // functions: one, of type 0
  0x07, 0x05, 0x01, 0x01, 0x63, 0x00, 0x00, // exports: c is function 0
  0x0a, 0x0e, 0x01, 0x0c, 0x00, // code: one body of 12 bytes without locals
  0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfc, 0x0a, 0x00, 0x00, 0x0b, // local.get 0, 1, 2; memory.copy; end
);

/** A part of a shared memory that only one thread writes to, and fills from the rest of that memory. */
export class OwnArea {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #copy: (target: number, source: number, count: number) => void;

  /**
   * Allocates a new area at the end of the memory; it is never freed while the memory lives. A thread takes one for
   * each generation. Undefined when the memory cannot grow by that much.
   */
  static take(memory: SharedMemory, bytes: number): OwnArea | undefined {
    try {
      const pages = Math.ceil(bytes / PAGE_BYTES);
      return new OwnArea(memory, memory.grow(pages) * PAGE_BYTES, pages * PAGE_BYTES);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  private constructor(memory: SharedMemory, start: number, length: number) {
    this.#bytes = new Uint8Array(memory.buffer, start, length);
    this.#start = start;
    this.#copy = new WebAssembly.Instance(new WebAssembly.Module(COPY_MODULE), {
      v: { m: memory },
    }).exports.c;
  }

  /**
   * `before`, the memory's bytes first..last, and `after`, joined into one view that the next call overwrites.
   * Undefined when it does not fit.
   */
  join(before: Uint8Array, first: number, last: number, after: Uint8Array): Uint8Array | undefined {
    const afterAt = before.length + last - first;
    const length = afterAt + after.length;
    if (length > this.#bytes.length) return undefined;
    this.#bytes.set(before);
    this.#copy(this.#start + before.length, first, last - first);
    this.#bytes.set(after, afterAt);
    return this.#bytes.subarray(0, length);
  }
}
