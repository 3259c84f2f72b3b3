// Reads JSON in the form in which programs write it, without making objects of it: strings of printable ASCII
// without escapes, any blanks between tokens. Whoever reads with this knows what comes next, and gives a body
// in which anything else comes, valid or not, to json-body.ts. JSON.parse of a batch takes longer than its
// answer.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const BLANK = 0x20;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;

/** By byte: 1 if it may be in a string. So no string has control characters. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= BLANK && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const utf8 = new TextEncoder();
const TRUE = utf8.encode('true');
const FALSE = utf8.encode('false');

/** Texts that strings are compared with. */
type Words = readonly Uint8Array[];

export function wordsOf(texts: readonly string[]): Words {
  return texts.map((text) => utf8.encode(text));
}

/** Each method reads one token: false, with the same token next, if another is there. */
export class PlainJson {
  readonly #bytes: Uint8Array;
  #text: string | undefined;
  /** Where the next token begins, or blanks before it. */
  at = 0;
  /** The string that was read last is bytes[start..end). */
  start = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  openList(): boolean {
    return this.#mark(OPEN_LIST);
  }

  closeList(): boolean {
    return this.#mark(CLOSE_LIST);
  }

  openObject(): boolean {
    return this.#mark(OPEN_OBJECT);
  }

  closeObject(): boolean {
    return this.#mark(CLOSE_OBJECT);
  }

  comma(): boolean {
    return this.#mark(COMMA);
  }

  colon(): boolean {
    return this.#mark(COLON);
  }

  string(): boolean {
    const at = this.at;
    if (this.#mark(QUOTE) && this.content()) return true;
    this.at = at;
    return false;
  }

  /** The rest of a string whose opening quote was passed. */
  content(): boolean {
    const bytes = this.#bytes;
    let { at } = this;
    this.start = at;
    while (at < bytes.length && IS_PLAIN[bytes[at]] === 1) at++;
    if (bytes[at] !== QUOTE) return false;
    this.end = at;
    this.at = at + 1;
    return true;
  }

  /** Passes these bytes if they are next, without blanks: faster than token by token. */
  pass(expected: Uint8Array): boolean {
    const { at } = this;
    if (!isWord(expected, this.#bytes, at, at + expected.length)) return false;
    this.at = at + expected.length;
    return true;
  }

  /** The value of `true` or `false`; undefined if another token is next. */
  boolean(): boolean | undefined {
    const at = tokenFrom(this.#bytes, this.at);
    const word = this.#bytes[at] === TRUE[0] ? TRUE : FALSE;
    if (!isWord(word, this.#bytes, at, at + word.length)) return undefined;
    this.at = at + word.length;
    return word === TRUE;
  }

  /** Which of the words the last string is, or -1. `hint` is the one to try first. */
  wordOf(words: Words, hint: number): number {
    const { start, end } = this;
    if (isWord(words[hint], this.#bytes, start, end)) return hint;
    return words.findIndex((word) => isWord(word, this.#bytes, start, end));
  }

  /** The last string. */
  get text(): string {
    return this.textAt(this.start, this.end);
  }

  /** What is there, which has been read. */
  textAt(start: number, end: number): string {
    const { buffer, byteOffset, length } = this.#bytes;
    // One decoding of the whole is faster than one of each string.
    this.#text ??= Buffer.from(buffer, byteOffset, length).toString('latin1');
    return this.#text.slice(start, end);
  }

  /** Whether nothing but blanks is left. */
  isDone(): boolean {
    return tokenFrom(this.#bytes, this.at) === this.#bytes.length;
  }

  #mark(code: number): boolean {
    const bytes = this.#bytes;
    let { at } = this;
    if (bytes[at] !== code) {
      at = tokenFrom(bytes, at);
      if (bytes[at] !== code) return false;
    }
    this.at = at + 1;
    return true;
  }
}

/** Where the first token from `at` on begins, or the length. */
function tokenFrom(bytes: Uint8Array, at: number): number {
  let token = at;
  while (token < bytes.length && isBlank(bytes[token])) token++;
  return token;
}

function isBlank(byte: number): boolean {
  return byte <= BLANK && (byte === BLANK || byte === LINE_FEED || byte === RETURN || byte === TAB);
}

function isWord(word: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}
