// Precedence of semantic versions, as in node-semver's compare. Owns what counts as a version and the bytes
// of a semver key; build metadata is checked and left out.
//
// A key is the three core numbers, then either RELEASE or the pre-release identifiers and a 0:
//
//     core number         0..239 as one byte; 239+n, then n big-endian bytes (n = 1..7)
//     RELEASE  255        above the first byte of every identifier
//     numeric identifier  0..30 as 1..31; 32+n, then n big-endian bytes (n = 1..7); 40, then a float64
//     other identifier    its ASCII characters, then 0; the first is '-' (45) or above, so above all numbers
//     end of identifiers  0, below every identifier: fewer identifiers sort lower
//
// node-semver compares numeric identifiers as doubles, which are exact up to 2^53 - 1. Larger ones are stored
// as the double's bytes, which sort like the values because none is negative. Two that round to the same
// double are equal here and the next identifiers decide; node-semver stops there and calls the versions
// equal, which is not an order.

/** node-semver rejects longer input, counted in UTF-16 units before trimming. */
const MAX_CHARACTERS = 256;
const INLINE_CORE = 240;
export const LONG_CORE = 239;
const INLINE_IDENTIFIER = 31;
export const LONG_IDENTIFIER = 32;
export const FLOAT_IDENTIFIER = 40;
export const RELEASE = 255;
const MAX_EXACT_DIGITS = 16; // 2^53 - 1 = 9007199254740991

const DOT = 46;
const MINUS = 45;
const PLUS = 43;
const ZERO = 48;

// Whitespace as removed by String.prototype.trim, rare characters last.
function isSpace(code: number): boolean {
  if (code > 32 && code < 128) return false;
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code === 0xa0 || code === 0xfeff || code === 0x1680 || code === 0x3000) return true;
  if (code < 0x2000 || code > 0x205f) return false;
  return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}

/** What may precede a loose version. */
function isPrefix(code: number): boolean {
  return code === 118 || code === 61 || isSpace(code); // v, =
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isIdentifierCharacter(code: number): boolean {
  if (code >= 97) return code <= 122;
  if (code >= 65) return code <= 90;
  return code === MINUS || isDigit(code);
}

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Accepts what node-semver's loose parser accepts, and the short '1' and '1.2'. Loose means any mix of 'v',
 * '=' and whitespace in front, leading zeros, and a pre-release without its dash ('1.2.3beta', '1.2.34.5').
 * Requires: space for one byte per character, plus four.
 */
export function writeSemverKey(version: string, out: Uint8Array): number {
  let end = version.length;
  if (end > MAX_CHARACTERS) return -1;
  let from = 0;
  while (from < end && isPrefix(version.charCodeAt(from))) from++;
  while (end > from && isSpace(version.charCodeAt(end - 1))) end--;

  let at = 0;
  let parts = 0;
  let code = DOT;
  while (code === DOT) {
    if (parts === 3) return -1;
    const start = from;
    let value = 0;
    let digits = 0; // leading zeros are not counted
    while (from < end) {
      code = version.charCodeAt(from);
      if (!isDigit(code)) break;
      if (code !== ZERO || digits > 0) digits++;
      value = value * 10 + (code - ZERO);
      from++;
    }
    if (from === start) return -1;
    if (parts === 2 && from < end && code === DOT) {
      // node-semver's expression backtracks: it reads '1.2.34.5' as the pre-release 1.2.3-4.5.
      from--;
      if (from === start) return -1;
      code = version.charCodeAt(from);
      if (digits > 0) digits--;
      value = Number(version.slice(start, from));
    }
    if (digits > MAX_EXACT_DIGITS) return -1;
    if (value < INLINE_CORE) {
      out[at++] = value;
    } else {
      // Sixteen digits stay below 2^54, where rounding never moves a value past 2^53 - 1 back below it.
      if (value > Number.MAX_SAFE_INTEGER) return -1;
      at = writeInteger(LONG_CORE, value, out, at);
    }
    parts++;
    if (from === end) {
      for (; parts < 3; parts++) out[at++] = 0;
      out[at] = RELEASE;
      return at + 1;
    }
    if (code === DOT) from++;
  }
  if (parts < 3) return -1;
  if (code === PLUS) {
    out[at++] = RELEASE;
  } else if (isIdentifierCharacter(code)) {
    // The dash is not part of the first identifier, unless that is all the identifier has.
    const isDash = code === MINUS && from + 1 < end && isIdentifierCharacter(version.charCodeAt(from + 1));
    at = writePrerelease(version, isDash ? from + 1 : from, end, out, at);
    if (at < 0) return -1;
    from = prereleaseEnd;
    if (from === end) return at;
  } else {
    return -1;
  }
  return isBuild(version, from + 1, end) ? at : -1;
}

/** Where the identifiers written by writePrerelease ended: at the '+' of the build, or at the end. */
let prereleaseEnd = 0;

function writePrerelease(
  version: string,
  first: number,
  end: number,
  out: Uint8Array,
  start: number,
): number {
  let at = start;
  let from = first;
  for (;;) {
    const opening = from;
    const mark = at;
    let value = 0;
    let numeric = true;
    let code = -1;
    while (from < end) {
      code = version.charCodeAt(from);
      if (!isIdentifierCharacter(code)) break;
      if (code <= 57 && code !== MINUS) value = value * 10 + (code - ZERO);
      else numeric = false;
      out[at++] = code;
      from++;
    }
    if (from === opening) return -1;
    if (numeric) {
      at = writeNumericIdentifier(version, opening, from, value, out, mark);
    } else {
      out[at++] = 0;
    }
    if (from === end || code === PLUS) break;
    if (code !== DOT) return -1;
    from++;
  }
  prereleaseEnd = from;
  out[at] = 0;
  return at + 1;
}

function writeNumericIdentifier(
  version: string,
  from: number,
  to: number,
  value: number,
  out: Uint8Array,
  at: number,
): number {
  if (value < INLINE_IDENTIFIER) {
    out[at] = value + 1;
    return at + 1;
  }
  if (value <= Number.MAX_SAFE_INTEGER) return writeInteger(LONG_IDENTIFIER, value, out, at);
  out[at] = FLOAT_IDENTIFIER;
  // Adding digit by digit has rounded the value more than once; the parser rounds once, like node-semver.
  float.setFloat64(0, Number(version.slice(from, to)));
  for (let i = 0; i < 8; i++) out[at + 1 + i] = float.getUint8(i);
  return at + 9;
}

const float = new DataView(new ArrayBuffer(8));

function writeInteger(lead: number, value: number, out: Uint8Array, at: number): number {
  let bytes = 1;
  for (let limit = 256; value >= limit; limit *= 256) bytes++;
  out[at] = lead + bytes;
  let rest = value;
  for (let i = at + bytes; i > at; i--) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return at + 1 + bytes;
}

function isBuild(version: string, start: number, end: number): boolean {
  let empty = true;
  for (let i = start; i < end; i++) {
    const code = version.charCodeAt(i);
    if (code === DOT) {
      if (empty) return false;
      empty = true;
    } else if (isIdentifierCharacter(code)) {
      empty = false;
    } else {
      return false;
    }
  }
  return !empty;
}
