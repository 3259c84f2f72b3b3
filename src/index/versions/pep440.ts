// The order of Python's PEP 440, as in the package `packaging`. Owns what counts as a version and the bytes
// of a pep440 key.
//
// A key is the epoch, the numbers of the release without the zeros at its end, a tail and the parts of the
// local version. The tail begins below every number, so that a shorter release is followed by zeros for ever:
//
//     epoch      a number of digits.ts, lead 0
//     tail       0 dev N                   a development release of the release itself
//                1, 2, 3 N end             a, b, rc
//                4 end                     neither
//     part       5 and up: a number of digits.ts
//     end        0 dev N, 1 nothing more, 2 post N and then an end of the first two
//     local      for each part: 1, its letters and digits in lower case, 0; or a number, lead 2
//
// A number that is missing after a word is 0.

import * as numbers from './digits.ts';

// Copies, because V8 does not inline imported constants and functions of another module as readily.
const { areZero, digitsEnd, isBlank, isDigit, writeDigits } = numbers;

export const ONLY_DEV = 0;
const A = 1;
const B = 2;
const RC = 3;
export const FINAL = 4;
export const PART = 5;
export const DEV = 0;
export const END = 1;
export const POST = 2;
export const LOCAL_TEXT = 1;
export const LOCAL_NUMBER = 2;

const DOT = 46;
const MINUS = 45;
const UNDERSCORE = 95;
const PLUS = 43;
const EPOCH_MARK = 33; // !

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for two bytes per character, plus four.
 */
export function writePep440Key(version: string, out: Uint8Array): number {
  let end = version.length;
  let from = 0;
  while (from < end && isBlank(version.charCodeAt(from))) from++;
  while (end > from && isBlank(version.charCodeAt(end - 1))) end--;
  if (from < end && (version.charCodeAt(from) | 32) === 118) from++; // v
  let to = digitsEnd(version, from, end);
  if (to === from) return -1;
  let at = 1;
  out[0] = 0;
  if (to < end && version.charCodeAt(to) === EPOCH_MARK) {
    at = writeDigits(version, from, to, 0, out, 0);
    from = to + 1;
    to = digitsEnd(version, from, end);
    if (to === from) return -1;
  }
  let release = at;
  for (;;) {
    at = writeDigits(version, from, to, PART, out, at);
    if (!areZero(version, from, to)) release = at;
    if (to + 1 >= end || version.charCodeAt(to) !== DOT || !isDigit(version.charCodeAt(to + 1))) break;
    from = to + 1;
    to = digitsEnd(version, from, end);
  }
  return writeTail(version, to, end, out, release);
}

/** Where the word found by `preAt`, `postAt` or `isDevAt` ends. */
let wordEnd = 0;

function writeTail(version: string, start: number, end: number, out: Uint8Array, start0: number): number {
  let at = start0;
  let from = start;
  let word = afterSeparator(version, from, end);
  const pre = preAt(version, word, end);
  if (pre !== FINAL) {
    out[at++] = pre;
    at = writeOptional(version, wordEnd, end, out, at);
    from = numberEnd;
    word = afterSeparator(version, from, end);
  }
  // A post-release without a word: 1.0-1.
  const isShort =
    from + 1 < end && version.charCodeAt(from) === MINUS && isDigit(version.charCodeAt(from + 1));
  const isPost = isShort || isPostAt(version, word, end);
  if (isPost) {
    if (pre === FINAL) out[at++] = FINAL;
    out[at++] = POST;
    at = writeOptional(version, isShort ? from : wordEnd, end, out, at);
    from = numberEnd;
    word = afterSeparator(version, from, end);
  }
  if (startsWith(version, word, end, 'dev')) {
    out[at++] = pre === FINAL && !isPost ? ONLY_DEV : DEV;
    at = writeOptional(version, word + 3, end, out, at);
    from = numberEnd;
  } else {
    if (pre === FINAL && !isPost) out[at++] = FINAL;
    out[at++] = END;
  }
  if (from === end) return at;
  return version.charCodeAt(from) === PLUS ? writeLocal(version, from + 1, end, out, at) : -1;
}

/** Where the number written by `writeOptional` ends. */
let numberEnd = 0;

/** Writes the number behind a word, with or without a separator before it, or 0 if there is none. */
function writeOptional(version: string, from: number, end: number, out: Uint8Array, at: number): number {
  const first = afterSeparator(version, from, end);
  numberEnd = digitsEnd(version, first, end);
  if (numberEnd > first) return writeDigits(version, first, numberEnd, 0, out, at);
  out[at] = 0;
  return at + 1;
}

function isSeparator(code: number): boolean {
  return code === DOT || code === MINUS || code === UNDERSCORE;
}

function afterSeparator(version: string, from: number, end: number): number {
  return from < end && isSeparator(version.charCodeAt(from)) ? from + 1 : from;
}

/** A, B or RC if a word for one of them begins here, otherwise FINAL. */
function preAt(version: string, from: number, end: number): number {
  if (from >= end) return FINAL;
  switch (version.charCodeAt(from) | 32) {
    case 97: // a
      wordEnd = from + (startsWith(version, from, end, 'alpha') ? 5 : 1);
      return A;
    case 98: // b
      wordEnd = from + (startsWith(version, from, end, 'beta') ? 4 : 1);
      return B;
    case 99: // c
      wordEnd = from + 1;
      return RC;
    case 112: // p
      if (!startsWith(version, from, end, 'pre')) return FINAL;
      wordEnd = from + (startsWith(version, from, end, 'preview') ? 7 : 3);
      return RC;
    case 114: // r
      if (!startsWith(version, from, end, 'rc')) return FINAL;
      wordEnd = from + 2;
      return RC;
    default:
      return FINAL;
  }
}

function isPostAt(version: string, from: number, end: number): boolean {
  if (startsWith(version, from, end, 'post')) wordEnd = from + 4;
  else if (startsWith(version, from, end, 'rev')) wordEnd = from + 3;
  else if (startsWith(version, from, end, 'r')) wordEnd = from + 1;
  else return false;
  return true;
}

/** In any case. Requires: a word of letters a-z. */
function startsWith(version: string, from: number, end: number, word: string): boolean {
  if (from + word.length > end) return false;
  for (let i = 0; i < word.length; i++) {
    if ((version.charCodeAt(from + i) | 32) !== word.charCodeAt(i)) return false;
  }
  return true;
}

/** Letters and digits in parts, of which those of digits alone are numbers. */
function writeLocal(version: string, first: number, end: number, out: Uint8Array, start: number): number {
  let at = start;
  for (let from = first; from <= end; ) {
    let to = from;
    let isNumber = true;
    for (; to < end; to++) {
      const code = version.charCodeAt(to);
      if (isSeparator(code)) break;
      if (isDigit(code)) continue;
      if (!numbers.isLetter(code)) return -1;
      isNumber = false;
    }
    if (to === from) return -1;
    if (isNumber) at = writeDigits(version, from, to, LOCAL_NUMBER, out, at);
    else {
      out[at++] = LOCAL_TEXT;
      for (let i = from; i < to; i++) {
        const code = version.charCodeAt(i);
        out[at++] = isDigit(code) ? code : code | 32;
      }
      out[at++] = 0;
    }
    from = to + 1;
  }
  return at;
}

/** Without the local part: advisories name the release that a local build is of. */
export function publicPartOf(version: string): string {
  const plus = version.indexOf('+');
  return plus === -1 ? version : version.slice(0, plus);
}
