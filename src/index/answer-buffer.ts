// Bytes under assembly: one growing buffer that a thread reuses from answer to answer. What it hands out is a
// view that the next answer overwrites, so the caller sends or copies it first.

const INITIAL_BYTES = 256 * 1024;
const KEEP_BYTES = 8 * 1024 * 1024; // a larger buffer is given up after the answer that needed it
const LOOP_LIMIT = 32; // shorter runs are copied byte by byte: cheaper than making a view

const utf8 = new TextEncoder();

export class AnswerBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Begins a new answer; the view of the last one is no longer its own. */
  restart(): void {
    this.#length = 0;
    if (this.#bytes.length > KEEP_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
  }

  /** Takes back everything after `length`. Requires: at most what was written. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** What was written since `restart`, valid until the next one. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends source[start..end). */
  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.#reserve(count);
    if (count > LOOP_LIMIT) this.#bytes.set(source.subarray(start, end), this.#length);
    else for (let i = 0; i < count; i++) this.#bytes[this.#length + i] = source[start + i];
    this.#length += count;
  }

  /** Appends a string as UTF-8. */
  text(text: string): void {
    this.#reserve(text.length * 3); // most UTF-8 bytes for one UTF-16 unit
    if (text.length <= LOOP_LIMIT && this.#ascii(text)) return;
    this.#length += utf8.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Appends the text when it is all ASCII, else leaves the length as it was. */
  #ascii(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#bytes[this.#length + i] = code;
    }
    this.#length += text.length;
    return true;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
