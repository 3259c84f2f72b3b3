// The elements of one large JSON list, cut out of a stream without parsing it: a byte that closes what an
// element opened ends it, unless it is in a string. Parsing each element is convert.ts's.

import { SourceError } from '../../download/source-error.ts';
import { MAX_FILE_BYTES, type OsvFile, tooLong } from './osv-file.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The elements in order, as they become complete; a place is the index of an element. Throws SourceError if
 * the list does not end, or something follows it. Requires: the first character is `[`.
 */
export async function* elementsOf(
  path: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly OsvFile[]> {
  const cutter = new ElementCutter(path);
  for await (const chunk of chunks) yield cutter.take(chunk);
  cutter.finish();
}

class ElementCutter {
  readonly #path: string;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isOver = false;
  #index = 0;
  /** The beginning of the element that is not complete yet; nothing of one that is too long. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  take(chunk: Buffer): OsvFile[] {
    const files: OsvFile[] = [];
    let start = this.#depth === 0 ? chunk.length : 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (this.#isOver) {
        if (byte > 0x20) throw this.#error('something follows the list; it must be all of the file');
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#depth++;
        if (this.#depth === 1) start = at + 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        this.#depth--;
        if (this.#depth > 0) continue;
        this.#isOver = true;
        this.#hold(chunk.subarray(start, at));
        this.#complete(files, true);
      } else if (byte === COMMA && this.#depth === 1) {
        this.#hold(chunk.subarray(start, at));
        this.#complete(files, false);
        start = at + 1;
      }
    }
    if (!this.#isOver) this.#hold(chunk.subarray(start));
    return files;
  }

  finish(): void {
    if (!this.#isOver) throw this.#error('the list ends too early; fetch the file again');
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > MAX_FILE_BYTES) this.#held = [];
    else if (piece.length > 0) this.#held.push(piece);
  }

  #complete(files: OsvFile[], isLast: boolean): void {
    const bytes = Buffer.concat(this.#held); // a copy: the chunk need not be kept for one element
    const length = this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
    // An empty list has no element, and neither has the end of one that follows a comma.
    if (isLast && length <= MAX_FILE_BYTES && bytes.every((byte) => byte <= 0x20)) return;
    const place = { file: this.#path, entry: `[${this.#index++}]` };
    files.push(
      length > MAX_FILE_BYTES
        ? { kind: 'unreadable', place, problem: tooLong(length) }
        : { kind: 'record', place, bytes },
    );
  }

  #error(problem: string): SourceError {
    return new SourceError(`${this.#path}: ${problem}`);
  }
}
