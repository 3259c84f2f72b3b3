// A document that the supervisor writes and every thread reads, in shared memory. A reader gets a whole
// document or none, and waits for nobody.
//
//   | Int32: number of documents written | Int32: length | Int32: length | area | area |
//
// Document n is in area n mod 2, so the writer never touches the area that readers use. A reader
// that copied one while a newer one was being published may have seen the one after that begin in
// the same area, so it copies again.

const HEADER_BYTES = 12;
const WRITTEN = 0;
const LENGTHS = 1;
const AREA_BYTES = 512 << 10;
/** Documents are written once a second, and a copy takes some 50 us. */
const MOST_TRIES = 100;

/** Memory for one board. */
export function allocateBoard(areaBytes = AREA_BYTES): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + 2 * areaBytes);
}

export class Board {
  readonly #header: Int32Array;
  readonly #areas: readonly Uint8Array[];

  constructor(memory: SharedArrayBuffer) {
    const areaBytes = (memory.byteLength - HEADER_BYTES) / 2;
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#areas = [0, 1].map((area) => new Uint8Array(memory, HEADER_BYTES + area * areaBytes, areaBytes));
  }

  get capacity(): number {
    return this.#areas[0].length;
  }

  /** False if the document is too large: the previous one stays. Requires: one writer. */
  write(document: Uint8Array): boolean {
    if (document.length > this.capacity) return false;
    const area = (Atomics.load(this.#header, WRITTEN) + 1) & 1;
    this.#areas[area].set(document);
    Atomics.store(this.#header, LENGTHS + area, document.length);
    Atomics.add(this.#header, WRITTEN, 1);
    return true;
  }

  /** A copy of the last document; undefined before the first. */
  read(): Uint8Array | undefined {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const written = Atomics.load(this.#header, WRITTEN);
      if (written === 0) return undefined;
      const area = written & 1;
      const copy = this.#areas[area].slice(0, Atomics.load(this.#header, LENGTHS + area));
      // Not a load: the copy must not be reordered after it.
      if (Atomics.add(this.#header, WRITTEN, 0) === written) return new Uint8Array(copy);
    }
    return undefined;
  }
}
