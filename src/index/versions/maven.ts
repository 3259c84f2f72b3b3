// The order of Maven's ComparableVersion (3.8). Owns the bytes of a maven key; any text without control
// characters is a version.
//
// ComparableVersion makes nested lists of numbers and qualifiers. A list is always the last item of the list
// around it, so a version is a sequence of numbers, qualifiers and steps down. A dash steps down, and so do a
// change between digits and other characters and a qualifier that ends with the version or before a digit.
// Nulls (0, '' and its names ga, final and release) before a step down or the end do not count.
//
// A missing item is compared by what follows: the sign of a rest is that of its first item that is not null.
// Numbers and qualifiers from sp on are positive, alpha to snapshot negative. In ascending order:
//
//     1..5     alpha, beta, milestone, rc, snapshot
//     6        '' in a negative rest
//     7        a step down in a negative rest
//     8        0 in a negative rest
//     9        the end
//     10       '' in a positive rest
//     11       sp
//     12       any other qualifier, then its text and 0
//     13       a step down in a positive rest
//     14       0 in a positive rest
//     15..     a number, one of digits.ts
//
// ComparableVersion itself says qualifier < list < number, whatever their signs, and by sign when an item is
// missing. That is not an order: 1.0.rc.1 < 1 < 1-01 < 1.0.rc.1. Here the sign comes first.

import * as numbers from './digits.ts';

const { isDigit, writeDigits } = numbers;

export const NULL_TEXT = 6;
export const STEP = 7;
export const ZERO = 8;
export const END = 9;
export const SP = 11;
export const TEXT = 12;
/** From a null, or a step, in a negative rest to the same in a positive one. */
const POSITIVE_NULL_TEXT = 10;
const POSITIVE_STEP = 13;
const POSITIVE_ZERO = 14;
export const PART = 15;

export const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot'] as const; // from 1 on
const NULLS = ['ga', 'final', 'release'];

const DOT = 46;
const MINUS = 45;

/** What is written only if something that is not null follows: steps down, then nulls. */
let steps = 0;
let nulls = 0;

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for three bytes per byte of the version, plus two.
 */
export function writeMavenKey(text: string, out: Uint8Array): number {
  const version = plainText(text);
  if (version === undefined) return -1;
  const end = version.length;
  let at = 0;
  let from = 0;
  let isListEmpty = true;
  steps = 0;
  nulls = 0;
  while (from < end) {
    const first = version.charCodeAt(from);
    if (first === DOT || first === MINUS) {
      // Nothing before it: 0.
      addNull(ZERO, out, at);
      from++;
      if (first === MINUS) stepDown();
      isListEmpty = first === MINUS;
      continue;
    }
    let to = from + 1;
    const hasDigits = isDigit(first);
    while (to < end) {
      const code = version.charCodeAt(to);
      if (code === DOT || code === MINUS || isDigit(code) !== hasDigits) break;
      to++;
    }
    const next = to < end ? version.charCodeAt(to) : -1;
    const isTurn = next >= 0 && next !== DOT && next !== MINUS;
    if (hasDigits) {
      if (numbers.areZero(version, from, to)) addNull(ZERO, out, at);
      else at = writeDigits(version, from, to, PART, out, writePending(true, out, at));
    } else {
      if (!isListEmpty && (isTurn || next < 0)) stepDown();
      at = addQualifier(version, from, to, isTurn, out, at);
    }
    isListEmpty = false;
    from = to;
    if (isTurn || next === MINUS) {
      stepDown();
      isListEmpty = true;
    }
    if (next === DOT || next === MINUS) from++;
  }
  out[at] = END;
  return at + 1;
}

function addNull(kind: number, out: Uint8Array, at: number): void {
  out[at + steps + nulls++] = kind;
}

function stepDown(): void {
  nulls = 0;
  steps++;
}

function writePending(isPositive: boolean, out: Uint8Array, start: number): number {
  let at = start;
  for (const last = at + steps; at < last; at++) out[at] = isPositive ? POSITIVE_STEP : STEP;
  for (const last = at + nulls; at < last; at++) {
    if (isPositive) out[at] = out[at] === ZERO ? POSITIVE_ZERO : POSITIVE_NULL_TEXT;
  }
  steps = nulls = 0;
  return at;
}

function addQualifier(
  version: string,
  from: number,
  to: number,
  isBeforeDigit: boolean,
  out: Uint8Array,
  start: number,
): number {
  const rank = rankOf(version, from, to, isBeforeDigit);
  if (rank === NULL_TEXT) {
    addNull(NULL_TEXT, out, start);
    return start;
  }
  let at = writePending(rank >= SP, out, start);
  out[at++] = rank;
  if (rank !== TEXT) return at;
  for (let i = from; i < to; i++) at = writeUnit(lower(version.charCodeAt(i)), out, at);
  out[at] = 0;
  return at + 1;
}

function lower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** As UTF-8 would, but each half of a pair by itself: Java compares halves. */
function writeUnit(code: number, out: Uint8Array, at: number): number {
  if (code < 0x80) {
    out[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    out[at] = 0xc0 | (code >> 6);
    out[at + 1] = 0x80 | (code & 63);
    return at + 2;
  }
  out[at] = 0xe0 | (code >> 12);
  out[at + 1] = 0x80 | ((code >> 6) & 63);
  out[at + 2] = 0x80 | (code & 63);
  return at + 3;
}

function rankOf(version: string, from: number, to: number, isBeforeDigit: boolean): number {
  if (to - from === 1) {
    if (!isBeforeDigit) return TEXT;
    const code = lower(version.charCodeAt(from));
    return code === 97 ? 1 : code === 98 ? 2 : code === 109 ? 3 : TEXT; // a, b, m
  }
  for (let i = 0; i < QUALIFIERS.length; i++) if (isWord(version, from, to, QUALIFIERS[i])) return 1 + i;
  for (const name of NULLS) if (isWord(version, from, to, name)) return NULL_TEXT;
  if (isWord(version, from, to, 'sp')) return SP;
  return isWord(version, from, to, 'cr') ? 4 : TEXT;
}

function isWord(version: string, from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i++) {
    if (lower(version.charCodeAt(from + i)) !== word.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * The text as it is if it is ASCII, otherwise in lower case and with the digits that Java knows as ASCII
 * ones; undefined if it is empty or has a control character.
 */
function plainText(text: string): string | undefined {
  let isAscii = text.length > 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || (code >= 127 && code < 160)) return undefined;
    if (code > 127) isAscii = false;
  }
  if (isAscii) return text;
  return text === '' ? undefined : text.toLowerCase().replace(/\p{Nd}/gu, asciiDigit);
}

/**
 * Ten digits begin at a multiple of 16, or six above one. Digits that Java's `char` cannot hold stay letters.
 */
function asciiDigit(digit: string): string {
  if (digit.length > 1) return digit;
  const code = digit.charCodeAt(0);
  const isAligned = /\p{Nd}/u.test(String.fromCharCode(code & ~15));
  return String((code & 15) - (isAligned ? 0 : 6));
}
