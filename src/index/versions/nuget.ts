// The order of NuGet's versions: one to four numbers, then SemVer 2's pre-release in any case. Owns what
// counts as a version and the bytes of a nuget key; metadata is checked and left out.
//
// A key is four numbers (missing ones are 0), then either RELEASE or the labels and a 0:
//
//     number        one of digits.ts, lead 0
//     RELEASE  255  above the first byte of every label
//     label         of digits: one of digits.ts, lead 1
//                   other: its characters in upper case, each plus 100, then 0; so above all numbers
//     end of labels 0, below every label

import * as numbers from './digits.ts';

const { digitsEnd, isBlank, isDigit, isLetter, writeDigits } = numbers;

export const RELEASE = 255;
export const LABEL = 1;
export const CHARACTER = 100;

const MOST_NUMBERS = 4;
const DOT = 46;
const MINUS = 45;
const PLUS = 43;

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for one byte per character, plus five.
 */
export function writeNugetKey(version: string, out: Uint8Array): number {
  let end = version.length;
  let from = 0;
  while (from < end && isBlank(version.charCodeAt(from))) from++;
  while (end > from && isBlank(version.charCodeAt(end - 1))) end--;
  let at = 0;
  let count = 0;
  for (;;) {
    const to = digitsEnd(version, from, end);
    if (to === from || count === MOST_NUMBERS) return -1;
    at = writeDigits(version, from, to, 0, out, at);
    count++;
    from = to;
    if (from === end || version.charCodeAt(from) !== DOT) break;
    from++;
  }
  for (; count < MOST_NUMBERS; count++) out[at++] = 0;
  if (from < end && version.charCodeAt(from) === MINUS) {
    do {
      from++;
      const to = labelEnd(version, from, end);
      if (to === from) return -1;
      if (digitsEnd(version, from, to) === to) {
        at = writeDigits(version, from, to, LABEL, out, at);
      } else {
        for (; from < to; from++) {
          const code = version.charCodeAt(from);
          out[at++] = CHARACTER + (code >= 97 ? code - 32 : code);
        }
        out[at++] = 0;
      }
      from = to;
    } while (from < end && version.charCodeAt(from) === DOT);
    out[at++] = 0;
  } else {
    out[at++] = RELEASE;
  }
  return from === end || isMetadata(version, from, end) ? at : -1;
}

function labelEnd(version: string, from: number, end: number): number {
  let to = from;
  for (; to < end; to++) {
    const code = version.charCodeAt(to);
    if (!isDigit(code) && !isLetter(code) && code !== MINUS) break;
  }
  return to;
}

/** Whether the rest is a plus and labels. */
function isMetadata(version: string, plus: number, end: number): boolean {
  if (version.charCodeAt(plus) !== PLUS) return false;
  let from = plus;
  do {
    const to = labelEnd(version, from + 1, end);
    if (to === from + 1) return false;
    from = to;
  } while (from < end && version.charCodeAt(from) === DOT);
  return from === end;
}
