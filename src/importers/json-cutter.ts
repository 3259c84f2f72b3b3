// Cuts one large JSON object into its members, or one list into its elements, chunk by chunk, so that only
// one of them is in memory. Knows strings, escapes and depth, and no more: JSON.parse judges each value,
// which keeps a damaged one from costing the others.

/** Longer names end the reading: an id is short, and what follows a missing quote is not. */
export const MAX_NAME_BYTES = 1024;
/** How much is kept of a value that is too long. */
export const KEPT_BYTES = 4096;

/** A member of the object, or an element of the list. */
export interface JsonPiece {
  /** '' in a list. */
  readonly name: string;
  /** The value as it is in the file; its first KEPT_BYTES if it is longer than the limit. */
  readonly bytes: Uint8Array;
  /** Of the value in the file. */
  readonly length: number;
  /**
   * Colons outside strings: one for each name in the value. Fewer names after parsing mean that one came
   * twice.
   */
  readonly colons: number;
}

/** The bytes are not one JSON object, or list. `at` is the offset of the byte that shows it. */
export class JsonCutError extends Error {
  override readonly name = 'JsonCutError';
  readonly code: 'not-one' | 'malformed' | 'truncated';
  readonly at: number;

  constructor(code: JsonCutError['code'], at: number, message: string) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

type State =
  /** Before the object or the list. */
  | 'start'
  /** After its brace: a name or the end. */
  | 'first-name'
  /** After a comma: a name. */
  | 'name'
  | 'in-name'
  | 'colon'
  /** Before the first byte of a value. */
  | 'value'
  | 'in-value'
  | 'end';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const END_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const END_LIST = 0x5d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const SHOWN_BYTES = 60;
/** What is cut. */
const WHOLES = {
  object: {
    open: OPEN_OBJECT,
    close: END_OBJECT,
    opening: '{',
    closing: '}',
    first: 'first-name',
    next: 'name',
  },
  list: { open: OPEN_LIST, close: END_LIST, opening: '[', closing: ']', first: 'value', next: 'value' },
} as const;

/** Reads one object or list. Requires: chunks in order, and `finish` after the last. */
export class JsonCutter {
  readonly #what: keyof typeof WHOLES;
  readonly #maxValueBytes: number;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #state: State = 'start';
  /** Bytes of the chunks before this one. */
  #offset = 0;
  #name = '';
  /** Pieces of the name or value whose end has not arrived. */
  #held: Uint8Array[] = [];
  #isCut = false;
  /** Of the name or value so far. */
  #length = 0;
  #colons = 0;
  /** Open braces and brackets of the value. */
  #depth = 0;
  #isInString = false;
  /** Whether the byte before was a backslash that escapes the next one. */
  #isEscaped = false;

  /** Longer values are cut to KEPT_BYTES. */
  constructor(what: keyof typeof WHOLES, maxValueBytes: number) {
    this.#what = what;
    this.#maxValueBytes = maxValueBytes;
  }

  /** The members or elements that end in this chunk. Their bytes may be views of it. Throws JsonCutError. */
  push(chunk: Uint8Array): JsonPiece[] {
    const pieces: JsonPiece[] = [];
    let i = 0;
    while (i < chunk.length) {
      switch (this.#state) {
        case 'in-name':
          i = this.#scanName(chunk, i);
          break;
        case 'in-value':
          i = this.#scanValue(chunk, i, pieces);
          break;
        default:
          if (this.#between(chunk, i)) i++;
      }
    }
    this.#offset += chunk.length;
    return pieces;
  }

  /** Throws JsonCutError if it has not ended. */
  finish(): void {
    if (this.#state === 'end') return;
    const isEmpty = this.#state === 'start';
    const problem = isEmpty
      ? `contains no JSON ${this.#what}`
      : `ends after ${this.#offset} bytes, inside the ${this.#what}`;
    throw new JsonCutError('truncated', this.#offset, problem);
  }

  /**
   * Looks at one byte outside of names and values. False for the first byte of a value, which belongs to it.
   */
  #between(chunk: Uint8Array, i: number): boolean {
    const byte = chunk[i];
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return true;
    const at = this.#offset + i;
    switch (this.#state) {
      case 'start': {
        const { open, opening, first } = WHOLES[this.#what];
        if (byte === open) this.#state = first;
        else if (BYTE_ORDER_MARK[at] !== byte) {
          throw new JsonCutError('not-one', at, `begins with ${shown(chunk, i)}, not with ${opening}`);
        }
        return true;
      }
      case 'first-name':
      case 'name':
        if (byte === QUOTE) this.#state = 'in-name';
        else if (byte === END_OBJECT && this.#state === 'first-name') this.#state = 'end';
        else throw this.#malformed(chunk, i, 'a name in quotes');
        return true;
      case 'colon':
        if (byte !== COLON) throw this.#malformed(chunk, i, 'a colon');
        this.#state = 'value';
        return true;
      case 'value':
        this.#state = 'in-value';
        return false;
      default:
        throw this.#malformed(chunk, i, 'the end of the file');
    }
  }

  #scanName(chunk: Uint8Array, start: number): number {
    for (let i = start; i < chunk.length; i++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[i] === BACKSLASH) this.#isEscaped = true;
      else if (chunk[i] === QUOTE) {
        this.#hold(chunk.subarray(start, i), MAX_NAME_BYTES);
        if (this.#length > MAX_NAME_BYTES) throw this.#longName(start);
        this.#name = this.#decodeName(this.#takeHeld(), this.#offset + i);
        this.#state = 'colon';
        return i + 1;
      }
    }
    this.#hold(chunk.subarray(start), MAX_NAME_BYTES);
    if (this.#length > MAX_NAME_BYTES) throw this.#longName(start);
    return chunk.length;
  }

  #longName(start: number): JsonCutError {
    const problem = `has a name of more than ${MAX_NAME_BYTES} bytes`;
    return new JsonCutError('malformed', this.#offset + start, problem);
  }

  #decodeName(bytes: Uint8Array, at: number): string {
    try {
      return JSON.parse(`"${this.#utf8.decode(bytes)}"`) as string; // a string literal gives a string
    } catch {
      throw new JsonCutError('malformed', at, 'has a name that is not a JSON string in UTF-8');
    }
  }

  #scanValue(chunk: Uint8Array, start: number, pieces: JsonPiece[]): number {
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    let depth = this.#depth;
    let i = start;
    for (; i < chunk.length; i++) {
      const byte = chunk[i];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COLON) this.#colons++;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === END_OBJECT || byte === END_LIST) {
        if (depth === 0) break;
        depth--;
      } else if (byte === COMMA && depth === 0) break;
    }
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    this.#depth = depth;
    this.#hold(chunk.subarray(start, i), this.#maxValueBytes);
    if (i === chunk.length) return i;
    const { close, closing, next } = WHOLES[this.#what];
    if (chunk[i] !== COMMA && chunk[i] !== close) throw this.#malformed(chunk, i, `a comma or ${closing}`);
    const length = this.#length;
    const isEnd = chunk[i] === close;
    const piece = { name: this.#name, length, colons: this.#colons, bytes: this.#takeHeld() };
    // An empty list has no element, and neither has the end of one that follows a comma.
    if (!isEnd || length > 0 || this.#what === 'object') pieces.push(piece);
    this.#colons = 0;
    this.#state = isEnd ? 'end' : next;
    return i + 1;
  }

  /** Keeps a piece; of more than `limit` bytes in all, only the first KEPT_BYTES. */
  #hold(piece: Uint8Array, limit: number): void {
    this.#length += piece.length;
    if (this.#length <= limit) {
      if (piece.length > 0) this.#held.push(piece);
    } else if (!this.#isCut) {
      const kept = Buffer.concat([...this.#held, piece.subarray(0, KEPT_BYTES)]).subarray(0, KEPT_BYTES);
      this.#held = [new Uint8Array(kept)]; // a copy, as a view would keep the whole value alive
      this.#isCut = true;
    }
  }

  #takeHeld(): Uint8Array {
    const bytes = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
    this.#held = [];
    this.#isCut = false;
    this.#length = 0;
    return bytes;
  }

  #malformed(chunk: Uint8Array, i: number, expected: string): JsonCutError {
    const at = this.#offset + i;
    return new JsonCutError('malformed', at, `has ${shown(chunk, i)} at byte ${at} instead of ${expected}`);
  }
}

function shown(chunk: Uint8Array, i: number): string {
  const text = Buffer.from(chunk.subarray(i, i + SHOWN_BYTES)).toString();
  return JSON.stringify(text);
}
