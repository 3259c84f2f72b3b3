// Memory shared by threads, with full-speed copies inside it. V8 copies between views of shared memory word
// by word, in case another thread is writing there; WebAssembly's memory.copy over the same memory takes a
// quarter of the time. It is safe here because every byte is written before another thread learns of it.
// docs/decisions/0006 says why this is not used more widely.

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
    readonly exports: CopyFunctions;
  }
}

export interface CopyFunctions {
  /** Copies `count` bytes. */
  readonly c: (target: number, source: number, count: number) => void;
  /**
   * Copies each of some ranges without its last `cut` bytes, and after each the separator, always
   * MAX_SEPARATOR_BYTES of it, because four words are copied faster than any number of bytes. `starts` is the
   * address of a word that says where the first begins, `startsEnd` that of the word where the last ends.
   */
  readonly s: (
    target: number,
    starts: number,
    startsEnd: number,
    cut: number,
    separator: number,
    separatorBytes: number,
  ) => void;
}

/** What is copied of a separator, whatever its length. */
export const MAX_SEPARATOR_BYTES = 32;

/** Can be posted to another thread, which then sees the same bytes. */
export type SharedMemory = WebAssembly.Memory;

/** Fixed by WebAssembly. */
export const PAGE_BYTES = 64 * 1024;
const MAX_PAGES = 65_536; // 4 GiB, all that 32 bits can address

/**
 * Memory of at least this size. Pages that are never written cost nothing, but V8 reserves some 10 GiB of
 * address space for each memory, whatever its size. Throws RangeError beyond 4 GiB, or if the process may not
 * reserve that much.
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

/**
 * Grows the memory in place to at least this size; earlier views keep their old length. Throws RangeError.
 */
export function growShared(memory: SharedMemory, bytes: number): void {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
  if (missing > 0) memory.grow(missing);
}

// The module, in the binary format of WebAssembly 1.0 with threads and bulk memory: the two functions of
// CopyFunctions.
// biome-ignore format: one line per section, and per step of a function
const COPY_MODULE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // magic, version
  0x01, 0x10, 0x02, // types: two functions
  0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x00, // of three i32, without a result
  0x60, 0x06, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x00, // of six i32, no result
  0x02, 0x0b, 0x01, 0x01, 0x76, 0x01, 0x6d, 0x02, 0x03, 0x00, 0x80, 0x80, 0x04, // imports: v.m, shared, 0 to 65536 pages
  0x03, 0x03, 0x02, 0x00, 0x01, // functions: two, of types 0 and 1
  0x07, 0x09, 0x02, 0x01, 0x63, 0x00, 0x00, 0x01, 0x73, 0x00, 0x01, // exports: c is function 0, s is function 1
  0x0a, 0x74, 0x02, // code: two bodies
  0x0c, 0x00, // 12 bytes without locals
  0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfc, 0x0a, 0x00, 0x00, 0x0b, // local.get 0, 1, 2; memory.copy; end
  0x65, // 101 bytes
  0x01, 0x01, 0x7f, // one more local of type i32, 6: where a range begins, then its length
  0x03, 0x40, // loop
  0x20, 0x01, 0x28, 0x02, 0x00, 0x21, 0x06, //   begin = the word at starts
  0x20, 0x00, 0x20, 0x06, //   target, begin,
  0x20, 0x01, 0x28, 0x02, 0x04, 0x20, 0x03, 0x6b, 0x20, 0x06, 0x6b, 0x22, 0x06, //     length = the word after it - cut - begin
  0xfc, 0x0a, 0x00, 0x00, //     memory.copy
  0x20, 0x00, 0x20, 0x06, 0x6a, 0x21, 0x00, //   target += length
  0x20, 0x00, 0x20, 0x04, 0x29, 0x00, 0x00, 0x37, 0x00, 0x00, //   copy the separator's word at 0, by i64.load and i64.store
  0x20, 0x00, 0x20, 0x04, 0x29, 0x00, 0x08, 0x37, 0x00, 0x08, //   copy the separator's word at 8, by i64.load and i64.store
  0x20, 0x00, 0x20, 0x04, 0x29, 0x00, 0x10, 0x37, 0x00, 0x10, //   copy the separator's word at 16, by i64.load and i64.store
  0x20, 0x00, 0x20, 0x04, 0x29, 0x00, 0x18, 0x37, 0x00, 0x18, //   copy the separator's word at 24, by i64.load and i64.store
  0x20, 0x00, 0x20, 0x05, 0x6a, 0x21, 0x00, //   target += separatorBytes
  0x20, 0x01, 0x41, 0x04, 0x6a, 0x22, 0x01, //   starts += 4
  0x20, 0x02, 0x49, 0x0d, 0x00, //   again while starts < startsEnd
  0x0b, 0x0b, // end of the loop and of the function
);

/** Copies inside one memory, compiled for the calling thread. */
export function copyFunctionsOf(memory: SharedMemory): CopyFunctions {
  return new WebAssembly.Instance(new WebAssembly.Module(COPY_MODULE), { v: { m: memory } }).exports;
}
