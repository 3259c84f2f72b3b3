// The wordpress order: PHP's version_compare on parts, with every missing part counting as 0, so that 6.9,
// 6.9.0 and 6-9.0 are one version. Owns how a version is split into parts and the bytes of a wordpress key;
// the ranks of words and the long form of numbers come from php.ts.
//
// Parts are runs of digits and runs of letters a-z, in any case; everything else is a separator, at the ends
// too. One leading v is dropped.
//
// Because versions continue with zeros for ever, a part is encoded together with the run of k zeros before
// it, and the end of a key stands for endless zeros. Three classes of what follows a prefix, in ascending
// order:
//
//     below   k zeros, then a word up to rc: the sooner it comes, the lower        1-beta < 1.0-beta < 1
//     end     endless zeros                                                        1 = 1.0 = 1.0.0
//     above   k zeros, then a number or pl: the sooner it comes, the higher        1 < 1.0.1 < 1.1
//
// Class and k share one byte if k is small; with k = 0 the part shares it too:
//
//     0..14    below, k = 0..2: 5 * k + rank, ranks being unknown 0, dev 1, alpha 2, beta 3, rc 4
//     15       below, k >= 3: then k, then the rank
//     16       the end
//     17       above, k >= 4: then 255 - k, then the part
//     18..20   above, k = 3, 2, 1: then the part
//     21..255  above, k = 0: the part, which is
//                  21..246  a number 1..226
//                  247+n    a larger number in n+1 big-endian bytes, n = 0..7, no leading zero byte
//                  255      pl
//
// No entry is a prefix of another, so comparing bytes compares the first entries that differ.

import * as php from './php.ts';

// Copies, because V8 does not inline imported constants.
const FIRST_RANK = php.UNKNOWN;
const PL = php.PL;
const LONG_NUMBER = php.LONG_NUMBER;
const EXACT_DIGITS = php.EXACT_DIGITS;

export const RANKS = 5;
const INLINE_ZEROS_BELOW = 3;
export const LONG_RUN_BELOW = RANKS * INLINE_ZEROS_BELOW; // 15
export const END = 16;
export const LONG_RUN_ABOVE = 17;
const INLINE_ZEROS_ABOVE = 4;
export const FIRST_NUMBER = 21; // the number 1
const INLINE_NUMBERS = LONG_NUMBER - FIRST_NUMBER; // 1..226

/**
 * Writes the key at out[0..] and returns its length, or -1 for a text without a letter a-z or a digit, which
 * is not a version. Requires: space for one byte per character of the version, plus one.
 */
export function writeWordpressKey(version: string, out: Uint8Array): number {
  const end = version.length;
  let from = 0;
  while (from < end && php.isTrimmed(version.charCodeAt(from))) from++;
  const isMarked = from < end && (version.charCodeAt(from) | 32) === 118; // v
  if (isMarked) from++;
  let isVersion = isMarked;
  let at = 0;
  let zeros = 0;
  while (from < end) {
    const code = version.charCodeAt(from);
    if (code >= 48 && code <= 57) {
      isVersion = true;
      let to = from;
      let value = 0;
      let digits = 0;
      for (; to < end; to++) {
        const digit = version.charCodeAt(to) - 48;
        if (digit < 0 || digit > 9) break;
        if (digit === 0 && digits === 0) continue;
        if (digits < EXACT_DIGITS) value = value * 10 + digit;
        digits++;
      }
      if (digits === 0) {
        zeros++;
      } else {
        if (zeros > 0) {
          at = writeRunAbove(zeros, out, at);
          zeros = 0;
        }
        if (digits <= EXACT_DIGITS && value <= INLINE_NUMBERS) {
          out[at++] = FIRST_NUMBER - 1 + value;
        } else if (digits <= EXACT_DIGITS) {
          at = php.writeNumber(value, out, at);
        } else {
          php.readLongNumber(version, to - digits, to);
          at = php.writeReadNumber(out, at);
        }
      }
      from = to;
    } else if (isLetter(code)) {
      isVersion = true;
      const rank = php.rankOf(version, from);
      if (rank === PL) {
        if (zeros > 0) at = writeRunAbove(zeros, out, at);
        out[at++] = PL;
      } else if (zeros < INLINE_ZEROS_BELOW) {
        out[at++] = RANKS * zeros + rank - FIRST_RANK;
      } else {
        out[at++] = LONG_RUN_BELOW;
        out[at++] = zeros;
        out[at++] = rank - FIRST_RANK;
      }
      zeros = 0;
      do from++;
      while (from < end && isLetter(version.charCodeAt(from)));
    } else {
      from++;
    }
  }
  if (!isVersion) return -1;
  out[at] = END;
  return at + 1;
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122 && code < 128;
}

/** A version has at most 256 bytes, so at most 128 zeros: each but the last is followed by a separator. */
function writeRunAbove(zeros: number, out: Uint8Array, at: number): number {
  if (zeros < INLINE_ZEROS_ABOVE) {
    out[at] = FIRST_NUMBER - zeros;
    return at + 1;
  }
  out[at] = LONG_RUN_ABOVE;
  out[at + 1] = 255 - zeros;
  return at + 2;
}
