// The order of PHP's version_compare, after the feed's normalisation: trim, lower-case, drop one leading v.
// Owns how a version is split into tokens (shared with the decimal rule) and the bytes of a php key. Leaves
// limits and the choice of a scheme to version-key.ts.
//
// A key is one entry per token, then an end entry. Entries are ordered by their first byte:
//
//     0      an empty last part ("1."), also the whole empty version; it ends the key
//     1      a word PHP does not know, also an empty first part
//     2..5   dev, alpha, beta, rc
//     6      the end
//     7..246 a number 0..239; PHP's internal marker '#' counts as 0
//     247+n  a larger number in n+1 big-endian bytes, n = 0..7, no leading zero byte
//     255    pl
//
// No entry is a prefix of another, so comparing bytes compares the first entries that differ.
//
// In PHP '#' equals every number and also the end, which no order can express: 1# = 1 and 1# = 1.5, yet 1 <
// 1.5. Treating it as zero keeps it above all words but pl, as in PHP, and equal to one number.

export const EMPTY_LAST = 0;
export const UNKNOWN = 1;
export const DEV = 2;
const ALPHA = 3;
const BETA = 4;
const RC = 5;
export const END = 6;
export const NUMBER = 7;
export const PL = 255;

export const INLINE_NUMBERS = 240; // 7..246
export const LONG_NUMBER = 247;
export const EXACT_DIGITS = 9; // nine digits stay below 2^31, where V8 needs no heap number for an integer

/** The classes that `classOf` returns. A sign is one of the three characters that PHP turns into a dot. */
const DIGIT = 0;
const LETTER = 1;
const SIGN = 2;
const OTHER = 3;

function classOf(code: number): number {
  if (code >= 48 && code <= 57) return DIGIT;
  const lower = code | 32;
  if (lower >= 97 && lower <= 122 && code < 128) return LETTER;
  return code === 43 || code === 45 || code === 95 ? SIGN : OTHER;
}

// What PHP's trim() removes: space, tab, line feed, vertical tab, carriage return, NUL. Not form feed.
export function isTrimmed(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 11 || code === 13 || code === 0;
}

/**
 * The rank byte of the word that begins at `from`. PHP matches prefixes, so every word that starts with a is
 * an alpha, with b a beta and with p a pl. Requires: a letter there, and no letter of another word within
 * three characters.
 */
export function rankOf(text: string, from: number): number {
  switch (text.charCodeAt(from) | 32) {
    case 97:
      return ALPHA;
    case 98:
      return BETA;
    case 112:
      return PL;
    case 114:
      return (text.charCodeAt(from + 1) | 32) === 99 ? RC : UNKNOWN;
    case 100:
      return (text.charCodeAt(from + 1) | 32) === 101 && (text.charCodeAt(from + 2) | 32) === 118
        ? DEV
        : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/**
 * Walks the tokens of a version as PHP's canonical form would split them, without building that form. One
 * instance serves every call of a scheme: `start`, then `next` until END or EMPTY_LAST.
 *
 * PHP works on bytes. A character above ASCII is two to four bytes that are neither letter nor digit, and any
 * number of them from two up behaves the same, so UTF-8 is never produced.
 */
export class PhpTokens {
  text = '';
  /**
   * The digits of the NUMBER just returned; from equals to for PHP's internal marker '#', which counts as 0.
   */
  from = 0;
  to = 0;
  /** Value of that number if it has at most EXACT_DIGITS digits. */
  value = 0;
  #at = 0;
  #end = 0;
  #first = true;
  #afterDigit = false;
  #afterDot = false;
  #raw = false;

  start(version: string): void {
    let at = 0;
    let end = version.length;
    while (end > 0 && isTrimmed(version.charCodeAt(end - 1))) end--;
    while (at < end && isTrimmed(version.charCodeAt(at))) at++;
    if (at < end && (version.charCodeAt(at) | 32) === 118) at++;
    this.text = version;
    this.#at = at;
    this.#end = end;
    this.#first = true;
    this.#afterDigit = false;
    // The empty version is one empty last part.
    this.#afterDot = true;
    // PHP does not canonicalise a version that begins with '#': only dots separate its parts.
    this.#raw = at < end && version.charCodeAt(at) === 35;
  }

  /** NUMBER, the rank byte of a word, or END or EMPTY_LAST when the version is finished. */
  next(): number {
    if (this.#first) {
      this.#first = false;
      const kind = this.#raw ? this.#nextRaw() : this.#firstToken();
      if (kind >= 0) return kind;
    } else if (this.#raw) {
      return this.#nextRaw();
    }
    const text = this.text;
    const end = this.#end;
    let at = this.#at;
    while (at < end) {
      const code = text.charCodeAt(at);
      const kind = classOf(code);
      if (kind === DIGIT) return this.#number(at);
      if (kind === LETTER) return this.#word(at);
      if (code === 0) break; // a C string ends here
      at++;
      if (kind === OTHER && code !== 46 && this.#afterDigit) {
        // Right after a digit PHP keeps such a character as the start of a new token.
        return this.#marked(code, at);
      }
      this.#afterDigit = false;
      this.#afterDot = true;
    }
    return this.#finish();
  }

  #finish(): number {
    this.#at = this.#end = 0;
    return this.#afterDot ? EMPTY_LAST : END;
  }

  /** PHP copies the very first character whatever it is. Returns -1 if it needs no special handling. */
  #firstToken(): number {
    const at = this.#at;
    if (at === this.#end) return -1;
    const code = this.text.charCodeAt(at);
    const kind = classOf(code);
    if (kind === DIGIT || kind === LETTER || code === 0) return -1;
    if (code === 46) {
      this.#at = at + 1;
      return UNKNOWN;
    }
    if (kind === OTHER) return this.#marked(code, at + 1);
    // A sign forms a word with the letters after it; digits after it are a separate part.
    let to = at + 1;
    while (to < this.#end && classOf(this.text.charCodeAt(to)) === LETTER) to++;
    this.#at = to;
    this.#afterDigit = false;
    this.#afterDot = false;
    return UNKNOWN;
  }

  /**
   * A token that starts with a character other than a letter, digit, dot or sign, with the letters after it.
   */
  #marked(code: number, after: number): number {
    let at = after;
    this.#afterDigit = false;
    // Its second byte is a separator already.
    this.#afterDot = code > 127;
    if (code <= 127) {
      while (at < this.#end && classOf(this.text.charCodeAt(at)) === LETTER) at++;
    }
    this.#at = at;
    if (code !== 35) return UNKNOWN;
    this.from = this.to = at;
    this.value = 0;
    return NUMBER;
  }

  #number(from: number): number {
    const text = this.text;
    const end = this.#end;
    let to = from;
    let value = 0;
    while (to < end) {
      const digit = text.charCodeAt(to) - 48;
      if (digit < 0 || digit > 9) break;
      if (to - from < EXACT_DIGITS) value = value * 10 + digit;
      to++;
    }
    this.from = from;
    this.to = this.#at = to;
    this.value = value;
    this.#afterDigit = true;
    this.#afterDot = false;
    return NUMBER;
  }

  #word(from: number): number {
    let to = from + 1;
    while (to < this.#end && classOf(this.text.charCodeAt(to)) === LETTER) to++;
    this.#at = to;
    this.#afterDigit = false;
    this.#afterDot = false;
    return rankOf(this.text, from);
  }

  #nextRaw(): number {
    const text = this.text;
    const from = this.#at;
    let to = from;
    while (to < this.#end && text.charCodeAt(to) !== 46 && text.charCodeAt(to) !== 0) to++;
    if (to === this.#end || text.charCodeAt(to) === 0) {
      if (from === to) return this.#finish();
      this.#end = to;
      // The last part: without this, the final step would mistake the dot before it for one after it.
      return this.#rawToken(from, to, to, false);
    }
    return this.#rawToken(from, to, to + 1, true);
  }

  #rawToken(from: number, to: number, after: number, dot: boolean): number {
    let kind = UNKNOWN;
    if (from < to) {
      const code = this.text.charCodeAt(from);
      const opening = classOf(code);
      if (opening === DIGIT) {
        kind = this.#number(from);
      } else if (opening === LETTER) {
        kind = rankOf(this.text, from);
      } else if (code === 35) {
        this.from = this.to = from;
        this.value = 0;
        kind = NUMBER;
      }
    }
    this.#at = after;
    this.#afterDot = dot;
    return kind;
  }
}

const tokens = new PhpTokens();

/**
 * Writes the key of any version at out[0..] and returns its length. Requires: space for one byte per byte of
 * the version, plus one.
 */
export function writePhpKey(version: string, out: Uint8Array): number {
  tokens.start(version);
  let at = 0;
  for (;;) {
    const kind = tokens.next();
    if (kind === NUMBER) {
      const value = tokens.value;
      if (tokens.to - tokens.from > EXACT_DIGITS) {
        const small = readLongNumber(tokens.text, tokens.from, tokens.to);
        if (small >= 0 && small < INLINE_NUMBERS) out[at++] = NUMBER + small;
        else at = writeReadNumber(out, at);
      } else if (value < INLINE_NUMBERS) out[at++] = NUMBER + value;
      else at = writeNumber(value, out, at);
    } else {
      out[at++] = kind;
      if (kind === END || kind === EMPTY_LAST) return at;
    }
  }
}

// The number just read, as two 32-bit halves, which doubles hold exactly.
let readHigh = 0;
let readLow = 0;

/**
 * Reads digits of any length as PHP's strtol does, which saturates at 2^63 - 1. Returns the value if it fits
 * in 32 bits, otherwise -1; either way `writeReadNumber` writes it.
 */
export function readLongNumber(text: string, from: number, to: number): number {
  let high = 0;
  let low = 0;
  for (let i = from; i < to; i++) {
    low = low * 10 + (text.charCodeAt(i) - 48);
    const carry = Math.floor(low / 4294967296);
    low -= carry * 4294967296;
    high = high * 10 + carry;
    if (high > 0x7fffffff) {
      high = 0x7fffffff;
      low = 0xffffffff;
      break;
    }
  }
  readHigh = high;
  readLow = low;
  return high === 0 ? low : -1;
}

/** Writes the number last read by `readLongNumber` in its long form; returns where the bytes end. */
export function writeReadNumber(out: Uint8Array, at: number): number {
  return writeHalves(readHigh, readLow, out, at);
}

/** Writes a number of at most 32 bits in its long form; returns where the bytes end. */
export function writeNumber(value: number, out: Uint8Array, at: number): number {
  return writeHalves(0, value, out, at);
}

function writeHalves(high: number, low: number, out: Uint8Array, start: number): number {
  let at = start;
  const lowBytes = high > 0 ? 4 : bytesOf(low);
  const highBytes = high > 0 ? bytesOf(high) : 0;
  out[at++] = LONG_NUMBER + highBytes + lowBytes - 1;
  for (let i = highBytes - 1; i >= 0; i--) out[at++] = high >>> (8 * i);
  for (let i = lowBytes - 1; i >= 0; i--) out[at++] = low >>> (8 * i);
  return at;
}

function bytesOf(value: number): number {
  if (value < 0x10000) return value < 0x100 ? 1 : 2;
  return value < 0x1000000 ? 3 : 4;
}
