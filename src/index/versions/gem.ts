// The order of Ruby's Gem::Version. Owns what counts as a version and the bytes of a gem key.
//
// Segments are runs of digits and runs of letters; a dash stands for the letters 'pre'. Zeros before the
// first letters do not count, and a version continues with zeros for ever. So a segment is written together
// with the run of k zeros before it, as in wordpress.ts:
//
//     65..122   letters, k = 0: their ASCII, then 0
//     123, 124  letters, k = 1, 2: then the letters
//     125       letters, k >= 3: then k, then the letters
//     126       the end
//     127       a number, k >= 4: then 255 - k, then the number
//     128..130  a number, k = 3, 2, 1: then the number
//     131..     a number, k = 0: one of digits.ts

import * as numbers from './digits.ts';

const { areZero, digitsEnd, isBlank, isDigit, isLetter, writeDigits } = numbers;

export const BELOW = 122; // plus k
export const LONG_RUN_BELOW = 125;
export const END = 126;
export const LONG_RUN_ABOVE = 127;
export const PART = 131;

const DOT = 46;
const MINUS = 45;

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for four bytes per character.
 */
export function writeGemKey(version: string, out: Uint8Array): number {
  let end = version.length;
  let from = 0;
  while (from < end && isBlank(version.charCodeAt(from))) from++;
  while (end > from && isBlank(version.charCodeAt(end - 1))) end--;
  let to = digitsEnd(version, from, end);
  if (to === from || (to < end && isLetter(version.charCodeAt(to)))) return -1;
  let at = 0;
  let zeros = 0;
  let isNumeric = true; // so far
  let hasDash = false;
  while (from < end) {
    const code = version.charCodeAt(from);
    if (isDigit(code)) {
      to = digitsEnd(version, from, end);
      if (areZero(version, from, to)) {
        zeros++;
      } else {
        if (zeros > 0) at = writeRunAbove(zeros, out, at);
        at = writeDigits(version, from, to, PART, out, at);
        zeros = 0;
      }
      from = to;
      continue;
    }
    if (code === DOT || (code === MINUS && !hasDash)) {
      if (code === MINUS) hasDash = true;
      const next = from + 1 < end ? version.charCodeAt(from + 1) : DOT;
      if (!isDigit(next) && !isLetter(next) && !(hasDash && next === MINUS)) return -1;
      from++;
      if (code === DOT) continue;
    } else if (code === MINUS) {
      from++;
    } else if (!isLetter(code)) {
      return -1;
    }
    if (isNumeric) zeros = 0;
    isNumeric = false;
    if (zeros > 0) at = writeRunBelow(zeros, out, at);
    zeros = 0;
    if (code === MINUS) {
      out[at] = 112; // pre
      out[at + 1] = 114;
      out[at + 2] = 101;
      at += 3;
    } else {
      do out[at++] = version.charCodeAt(from++);
      while (from < end && isLetter(version.charCodeAt(from)));
    }
    out[at++] = 0;
  }
  out[at] = END;
  return at + 1;
}

function writeRunBelow(zeros: number, out: Uint8Array, at: number): number {
  if (BELOW + zeros < LONG_RUN_BELOW) {
    out[at] = BELOW + zeros;
    return at + 1;
  }
  out[at] = LONG_RUN_BELOW;
  out[at + 1] = zeros;
  return at + 2;
}

/** A version has at most 256 bytes, so at most 128 zeros: each but the last is followed by something. */
function writeRunAbove(zeros: number, out: Uint8Array, at: number): number {
  if (PART - zeros > LONG_RUN_ABOVE) {
    out[at] = PART - zeros;
    return at + 1;
  }
  out[at] = LONG_RUN_ABOVE;
  out[at + 1] = 255 - zeros;
  return at + 2;
}
