// Walks MessagePack arrays, strings and numbers in place, without creating values: preparing a generation
// reads every listed text once and only copies its bytes. Any other type is rejected.

/** The bytes are not of the expected type. */
export class PackedError extends RangeError {
  override readonly name = 'PackedError';
  readonly bytes: Uint8Array;
  /** Offset in those bytes at which it was seen. */
  readonly offset: number;

  constructor(bytes: Uint8Array, offset: number, message: string) {
    super(message);
    this.bytes = bytes;
    this.offset = offset;
  }
}

/** Values are a row, a list in it, and a pair in that. */
const MOST_LEVELS = 16;

export class PackedCursor {
  readonly bytes: Uint8Array;
  #at = 0;
  #end = 0;
  /** The string that `string` last stepped over is bytes[start..end). */
  start = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Starts reading bytes[first..last). */
  enter(first: number, last: number): void {
    this.#at = first;
    this.#end = last;
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  /** Steps into an array; returns how many elements follow. */
  array(): number {
    const type = this.#byte();
    if (type >= 0x90 && type <= 0x9f) return type & 0x0f; // fixarray
    if (type === 0xdc) return this.#uint(2); // array 16
    if (type === 0xdd) return this.#uint(4); // array 32
    throw this.#unexpected(type, 'an array');
  }

  /** Steps into an array of exactly `count` elements. */
  row(count: number): void {
    const start = this.#at;
    const got = this.array();
    if (got !== count) throw new PackedError(this.bytes, start, `${got} elements instead of ${count}`);
  }

  /** Steps over nil if it is next; returns whether it was. */
  nil(): boolean {
    if (this.#at >= this.#end || this.bytes[this.#at] !== 0xc0) return false;
    this.#at++;
    return true;
  }

  /** Steps over a string; `start` and `end` then bound its UTF-8 bytes. */
  string(): void {
    const type = this.#byte();
    let length: number;
    if (type >= 0xa0 && type <= 0xbf)
      length = type & 0x1f; // fixstr
    else if (type === 0xd9)
      length = this.#byte(); // str 8
    else if (type === 0xda)
      length = this.#uint(2); // str 16
    else if (type === 0xdb)
      length = this.#uint(4); // str 32
    else throw this.#unexpected(type, 'a string');
    this.start = this.#at;
    this.end = this.#at + length;
    if (this.end > this.#end)
      throw new PackedError(this.bytes, this.start, 'a string that ends outside its block');
    this.#at = this.end;
  }

  /** Steps over a whole number in min..max, both safe integers, in any MessagePack encoding. */
  wholeNumber(min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const start = this.#at;
    const value = this.#number();
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new PackedError(this.bytes, start, `a number that is not whole or not in ${min}..${max}`);
  }

  /** Steps over a number other than NaN and the infinities, in any MessagePack encoding. */
  finiteNumber(): void {
    const start = this.#at;
    const value = this.#number();
    if (!Number.isFinite(value)) throw new PackedError(this.bytes, start, String(value));
  }

  /** Steps over a value of any kind, an array with all its elements. */
  value(levels = MOST_LEVELS): void {
    if (levels === 0)
      throw new PackedError(this.bytes, this.#at, `more than ${MOST_LEVELS} levels of arrays`);
    const type = this.bytes[this.#at];
    if (type === 0xc0 || type === 0xc2 || type === 0xc3)
      this.#byte(); // nil, false, true
    else if ((type >= 0x90 && type <= 0x9f) || type === 0xdc || type === 0xdd) {
      for (let left = this.array(); left > 0; left--) this.value(levels - 1);
    } else if ((type >= 0xa0 && type <= 0xbf) || (type >= 0xd9 && type <= 0xdb)) this.string();
    else this.#number();
  }

  #number(): number {
    const type = this.#byte();
    if (type <= 0x7f) return type; // positive fixint
    if (type >= 0xe0) return type - 0x100; // negative fixint
    if (type === 0xca) return this.#view(4).getFloat32(0);
    if (type === 0xcb) return this.#view(8).getFloat64(0);
    if (type >= 0xcc && type <= 0xcf) return this.#uint(2 ** (type - 0xcc)); // uint 8, 16, 32, 64
    if (type >= 0xd0 && type <= 0xd3) return this.#int(2 ** (type - 0xd0)); // int 8, 16, 32, 64
    throw this.#unexpected(type, 'a number');
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new PackedError(this.bytes, this.#at, 'the end of the block');
    return this.bytes[this.#at++];
  }

  #uint(width: number): number {
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 256 + this.#byte(); // MessagePack is big-endian
    return value;
  }

  /** Two's complement. Beyond 2^53 the result is inexact, but then not a safe integer either. */
  #int(width: number): number {
    const value = this.#uint(width);
    const range = 256 ** width;
    return value >= range / 2 ? value - range : value;
  }

  #view(width: number): DataView {
    const view = new DataView(new ArrayBuffer(width));
    for (let i = 0; i < width; i++) view.setUint8(i, this.#byte());
    return view;
  }

  #unexpected(type: number, wanted: string): PackedError {
    return new PackedError(this.bytes, this.#at - 1, `type byte 0x${type.toString(16)} instead of ${wanted}`);
  }
}
