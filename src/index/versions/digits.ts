// Whole numbers of any length in a key, for the schemes whose tools compare them exactly. Owns their bytes;
// leading zeros do not count.
//
//     lead + 0..99       a number of one or two digits
//     lead + 100..115    3 to 18 digits; then the digits in pairs, a single one first if their count is odd
//     lead + 116         more; then the count of digits less 1, then the digits in the same way
//
// A number with more digits is the greater one, and of two with as many digits the pairs decide. No number is
// longer than its digits.

/** How many values the first byte of a number can have. */
export const NUMBER_SPAN = 117;

const SHORT = 97; // plus 3 to 18 digits
const FIRST_LONG = 19;
const LONG = 116;
const ZERO = 48;

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122 && code < 128;
}

/** ASCII whitespace: what Python, Ruby and .NET all remove at the ends. */
export function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Where the run of digits that begins at `from` ends. */
export function digitsEnd(text: string, from: number, end: number): number {
  let to = from;
  while (to < end && isDigit(text.charCodeAt(to))) to++;
  return to;
}

/** Whether the digits are all zero. */
export function areZero(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) !== ZERO) return false;
  return true;
}

/**
 * Writes the number that these digits are; returns where its bytes end. Requires: 1 to 256 digits; space for
 * one byte for each, and one more.
 */
export function writeDigits(
  text: string,
  start: number,
  to: number,
  lead: number,
  out: Uint8Array,
  start0: number,
): number {
  let at = start0;
  let from = start;
  while (from < to - 1 && text.charCodeAt(from) === ZERO) from++;
  const count = to - from;
  if (count <= 2) {
    const tens = count === 2 ? text.charCodeAt(from) - ZERO : 0;
    out[at] = lead + 10 * tens + (text.charCodeAt(to - 1) - ZERO);
    return at + 1;
  }
  if (count < FIRST_LONG) {
    out[at++] = lead + SHORT + count;
  } else {
    out[at++] = lead + LONG;
    out[at++] = count - 1;
  }
  if (count % 2 === 1) out[at++] = text.charCodeAt(from++) - ZERO;
  for (; from < to; from += 2) {
    out[at++] = 10 * (text.charCodeAt(from) - ZERO) + (text.charCodeAt(from + 1) - ZERO);
  }
  return at;
}

/** The digits of a number in a key, and where its bytes end. */
export function readDigits(key: Uint8Array, start: number, lead: number): readonly [string, number] {
  let at = start;
  const first = key[at++] - lead;
  if (first <= 99) return [String(first), at];
  const count = first < LONG ? first - SHORT : key[at++] + 1;
  const end = at + Math.ceil(count / 2);
  let digits = '';
  for (; at < end; at++) digits += String(key[at]).padStart(2, '0');
  return [digits.slice(-count), end];
}
