// A growing buffer in which answers are assembled. Text that is already UTF-8 is copied as bytes; turning it
// into strings first would cost more than everything else together (docs/decisions/0002).

const LOOP_LIMIT = 48; // shorter runs are copied byte by byte: cheaper than making a view for the native copy
const BYTES_PER_UNIT = 3; // most UTF-8 bytes per UTF-16 unit
const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;
// By byte: 1 if it needs no escaping inside a JSON string.
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE_BYTE && byte !== BACKSLASH_BYTE ? 1 : 0,
);
const ZERO = 0x30;
const TENS = Uint8Array.from({ length: 100 }, (_, n) => ZERO + Math.floor(n / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, n) => ZERO + (n % 10));
const PAIRS_BYTES = 8;
const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const MAX_INT32 = 2 ** 31 - 1;
const LARGE_BYTES = 32 * 1024 * 1024; // above this, doubling would waste more memory than it saves in copying
export const WORD_BYTES = 8;
const BLANKS = new Uint8Array(WORD_BYTES).fill(0x20);
const QUOTE = Uint8Array.of(QUOTE_BYTE);

const utf8 = new TextEncoder();

/** Texts one after another: text i is bytes[starts[i]..starts[i + 1]). */
export interface TextPool {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/** The text does not fit; what was appended before is kept. */
export class WriterFullError extends RangeError {
  override readonly name = 'WriterFullError';

  constructor(maxBytes: number) {
    super(`the text being assembled exceeds ${maxBytes} bytes`);
  }
}

export class ByteWriter {
  readonly #allocate: (size: number) => Uint8Array;
  #maxBytes: number;
  #bytes: Uint8Array;
  #length = 0;

  /** `allocate` decides the kind of memory; growing past `maxBytes` throws WriterFullError. */
  constructor(allocate: (size: number) => Uint8Array, initialBytes: number, maxBytes: number) {
    this.#allocate = allocate;
    this.#maxBytes = maxBytes;
    this.#bytes = allocate(Math.min(initialBytes, maxBytes));
  }

  get length(): number {
    return this.#length;
  }

  /** Size of the buffer in bytes, written or not. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** From now on growing past this throws WriterFullError; capacity already allocated stays usable. */
  limitTo(maxBytes: number): void {
    this.#maxBytes = maxBytes;
  }

  /** What was written, valid until it is overwritten or the buffer grows. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Drops everything after `length`. Requires: at most what was written. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Removes the last byte and returns it. Requires: there is one. */
  popByte(): number {
    this.#length -= 1;
    return this.#bytes[this.#length];
  }

  /** Starts over in a new buffer of this size. */
  reallocate(size: number): void {
    this.#bytes = this.#allocate(size);
    this.#length = 0;
  }

  /** Appends source[start..end). */
  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.#reserve(count);
    const bytes = this.#bytes;
    const length = this.#length;
    if (count > LOOP_LIMIT) bytes.set(source.subarray(start, end), length);
    else for (let i = 0; i < count; i++) bytes[length + i] = source[start + i];
    this.#length = length + count;
  }

  /**
   * Appends spaces, which JSON ignores, until this buffer and shared memory at `sourceOffset` are equally
   * aligned. Then V8 copies out of shared memory word by word instead of byte by byte: a page of 87 KB takes
   * 3 us instead of
   * 26. Requires: buffer and shared memory themselves begin aligned, as array buffers do.
   */
  alignWith(sourceOffset: number): void {
    const blanks = (sourceOffset - this.#length) & (WORD_BYTES - 1);
    this.copy(BLANKS, 0, blanks);
  }

  /** Appends a prepared piece. */
  piece(piece: Uint8Array): void {
    const count = piece.length;
    this.#reserve(count);
    const bytes = this.#bytes;
    const length = this.#length;
    if (count > LOOP_LIMIT) bytes.set(piece, length);
    else for (let i = 0; i < count; i++) bytes[length + i] = piece[i];
    this.#length = length + count;
  }

  /** Appends entry `index` of a pool. */
  pooled(pool: TextPool, index: number): void {
    this.copy(pool.bytes, pool.starts[index], pool.starts[index + 1]);
  }

  /** Appends a string as UTF-8. */
  text(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    if (text.length <= LOOP_LIMIT && this.#ascii(text)) return;
    this.#length += utf8.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Appends a string as a JSON string, as JSON.stringify would write it. */
  jsonText(text: string): void {
    this.#reserve(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE_BYTE;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f || IS_PLAIN[code] === 0) {
        this.text(JSON.stringify(text)); // overwrites what the loop wrote: #length has not changed yet
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE_BYTE;
    this.#length = at;
  }

  /** Appends a whole number. */
  integer(value: number): void {
    if (value > MAX_INT32) {
      this.text(String(value));
      return;
    }
    let width = 1;
    for (let power = 10; power <= value; power *= 10) width++;
    this.digits(value, width);
  }

  /** Appends the last `width` decimal digits of a number, padded with zeros. Requires: 0 <= value < 2^31. */
  digits(value: number, width: number): void {
    this.#reserve(width);
    const bytes = this.#bytes;
    let rest = value | 0;
    for (let at = this.#length + width - 1; at >= this.#length; at--) {
      const tens = (rest / 10) | 0;
      bytes[at] = ZERO + rest - tens * 10;
      rest = tens;
    }
    this.#length += width;
  }

  /** Appends the last `width` hex digits of a number, padded with zeros. Requires: 0 <= value < 2^31. */
  hex(value: number, width: number): void {
    this.#reserve(width);
    const bytes = this.#bytes;
    let rest = value | 0;
    for (let at = this.#length + width - 1; at >= this.#length; at--) {
      bytes[at] = HEX[rest & 15];
      rest >>>= 4;
    }
    this.#length += width;
  }

  /**
   * Appends `08:38:34` and the like: three pairs of digits with a separator between. Requires: each below
   * 100.
   */
  pairs(first: number, second: number, third: number, separator: number): void {
    this.#reserve(PAIRS_BYTES);
    const bytes = this.#bytes;
    const at = this.#length;
    bytes[at] = TENS[first];
    bytes[at + 1] = ONES[first];
    bytes[at + 2] = separator;
    bytes[at + 3] = TENS[second];
    bytes[at + 4] = ONES[second];
    bytes[at + 5] = separator;
    bytes[at + 6] = TENS[third];
    bytes[at + 7] = ONES[third];
    this.#length = at + PAIRS_BYTES;
  }

  /** Appends the UTF-8 text source[start..end) as a JSON string. */
  jsonString(source: Uint8Array, start: number, end: number): void {
    this.piece(QUOTE);
    this.jsonContent(source, start, end);
    this.piece(QUOTE);
  }

  /** Appends the UTF-8 text source[start..end) as a JSON string without the quotes around it. */
  jsonContent(source: Uint8Array, start: number, end: number): void {
    let runStart = start;
    for (let i = start; i < end; i++) {
      if (IS_PLAIN[source[i]] === 1) continue;
      this.copy(source, runStart, i);
      // Everything that needs escaping is below 0x80, where one byte is one character.
      this.text(JSON.stringify(String.fromCharCode(source[i])).slice(1, -1));
      runStart = i + 1;
    }
    this.copy(source, runStart, end);
  }

  /** Appends the text if it is all ASCII, otherwise leaves the length unchanged. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[length + i] = code;
    }
    this.#length = length + text.length;
    return true;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    if (needed > this.#maxBytes) throw new WriterFullError(this.#maxBytes);
    const { length: had } = this.#bytes;
    const ample = had < LARGE_BYTES ? had * 2 : had * 1.5;
    const grown = this.#allocate(Math.min(this.#maxBytes, Math.max(needed, Math.ceil(ample))));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
