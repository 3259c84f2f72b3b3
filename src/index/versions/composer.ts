// The order of Composer: composer/semver's normalisation, then PHP's version_compare of the results. Owns
// what counts as a version; the bytes of a composer key are php's, written without building the normal form.
//
//     1.2-beta.3      four numbers, at most five digits in the first, then a word with numbers, then dev
//     2010-01-02      a date, if the first form does not fit: its parts as they are
//     1.2.x-dev       a numeric branch: a missing number or an x is 9999999, and dev
//
// An alias ('1.0 as 2.0'), a stability flag ('1.0@beta') and metadata ('+…') are dropped first. Branches
// without a number (dev-main) are not versions: Composer orders them below and above nothing.

import { digitsEnd, isDigit, isLetter } from './digits.ts';
import * as php from './php.ts';

// Copies, because V8 does not inline imported constants.
const UNKNOWN = php.UNKNOWN;
const DEV = php.DEV;
const END = php.END;
const NUMBER = php.NUMBER;
const INLINE_NUMBERS = php.INLINE_NUMBERS;
const EXACT_DIGITS = php.EXACT_DIGITS;

const MOST_NUMBERS = 4;
const MOST_FIRST_DIGITS = 5;
const ANY_NUMBER = 9_999_999; // what composer/semver puts for an x
const YEAR_DIGITS = 4;
const MOST_PAIRS = 6;
const MOST_TAILS = 2;
const FLAGS = ['stable', 'rc', 'beta', 'alpha', 'dev'];
/** A word that begins another one comes after it. */
const WORDS = ['stable', 'beta', 'b', 'rc', 'alpha', 'a', 'patch', 'pl', 'p'];

const SPACE = 32;
const STAR = 42;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const COLON = 58;
const AT = 64;
const UNDERSCORE = 95;

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for one byte per character, plus 20.
 */
export function writeComposerKey(version: string, out: Uint8Array): number {
  let from = 0;
  let end = version.length;
  while (end > 0 && php.isTrimmed(version.charCodeAt(end - 1))) end--;
  while (from < end && php.isTrimmed(version.charCodeAt(from))) from++;
  end = withoutAdditions(version, from, end);
  if (from < end && (version.charCodeAt(from) | 32) === 118) from++; // v
  if (from === end || !isDigit(version.charCodeAt(from))) return -1;
  const plain = writePlain(version, from, end, out);
  if (plain >= 0) return plain;
  const date = writeDate(version, from, end, out);
  return date >= 0 ? date : writeBranch(version, from, end, out);
}

/** Where the version ends before an alias, a stability flag and metadata. */
function withoutAdditions(version: string, from: number, last: number): number {
  let end = last;
  let at = from;
  let plus = -1;
  // What stands before an alias or metadata has neither a blank nor a comma in it.
  for (; at < end; at++) {
    const code = version.charCodeAt(at);
    if (code <= SPACE || code === COMMA) break;
    if (code === PLUS && plus < 0) plus = at;
  }
  if (at < end && isAlias(version, at, end)) end = at;
  end = withoutFlag(version, from, end);
  return plus > from && plus + 1 < end && isUnbroken(version, plus, end) ? plus : end;
}

function withoutFlag(version: string, from: number, end: number): number {
  let at = end - 1;
  while (at > from && isLetter(version.charCodeAt(at))) at--;
  if (at < from || version.charCodeAt(at) !== AT) return end;
  for (const flag of FLAGS) if (isWord(version, at + 1, end, flag)) return at;
  return end;
}

/** Whether the rest is ` as `, with any number of spaces, and one word. */
function isAlias(version: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && version.charCodeAt(at) === SPACE) at++;
  if (at === start || !version.startsWith('as ', at)) return false;
  at += 3;
  while (at < end && version.charCodeAt(at) === SPACE) at++;
  const word = at;
  for (; at < end; at++) {
    const code = version.charCodeAt(at);
    if (code <= SPACE || code === COMMA) return false;
  }
  return at > word;
}

function isUnbroken(version: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) if (version.charCodeAt(i) <= SPACE) return false;
  return true;
}

/** Whether exactly this text in any case is there. Requires: a word of letters a-z. */
function isWord(version: string, from: number, end: number, word: string): boolean {
  return from + word.length === end && startsWith(version, from, end, word);
}

function startsWith(version: string, from: number, end: number, word: string): boolean {
  if (from + word.length > end) return false;
  for (let i = 0; i < word.length; i++) {
    if ((version.charCodeAt(from + i) | 32) !== word.charCodeAt(i)) return false;
  }
  return true;
}

function writePlain(version: string, start: number, end: number, out: Uint8Array): number {
  let at = 0;
  let from = start;
  let count = 0;
  for (;;) {
    const to = digitsEnd(version, from, end);
    if (count === 0 && to - from > MOST_FIRST_DIGITS) return -1;
    at = writeNumber(version, from, to, out, at);
    count++;
    from = to;
    if (count === MOST_NUMBERS || from + 1 >= end || version.charCodeAt(from) !== DOT) break;
    if (!isDigit(version.charCodeAt(from + 1))) break;
    from++;
  }
  for (; count < MOST_NUMBERS; count++) out[at++] = NUMBER;
  return writeModifier(version, from, end, out, at);
}

function writeDate(version: string, from: number, end: number, out: Uint8Array): number {
  let to = from;
  let at = 0;
  for (;;) {
    const first = to;
    to = digitsEnd(version, first, end);
    at = writeNumber(version, first, to, out, at);
    if (to + 1 >= end || !isDateSeparator(version.charCodeAt(to))) break;
    if (!isDigit(version.charCodeAt(to + 1))) break;
    to++;
  }
  if (digitsEnd(version, from, to) - from < YEAR_DIGITS) return -1;
  return isDateRest(version, from + YEAR_DIGITS, to, 0, 0) ? writeModifier(version, to, end, out, at) : -1;
}

/**
 * Whether the rest of a date is one to six pairs of digits and at most two parts of one to three, each with
 * or without a separator. Tries at most a few hundred splits, since both counts are bounded.
 */
function isDateRest(version: string, at: number, end: number, pairs: number, tails: number): boolean {
  if (at === end) return pairs > 0;
  const from = isDateSeparator(version.charCodeAt(at)) ? at + 1 : at;
  const digits = digitsEnd(version, from, Math.min(end, from + 3)) - from;
  if (tails === 0 && pairs < MOST_PAIRS && digits >= 2) {
    if (isDateRest(version, from + 2, end, pairs + 1, 0)) return true;
  }
  if (pairs === 0 || tails === MOST_TAILS) return false;
  for (let length = digits; length > 0; length--) {
    if (isDateRest(version, from + length, end, pairs, tails + 1)) return true;
  }
  return false;
}

function isDateSeparator(code: number): boolean {
  return code === DOT || code === COLON || code === MINUS;
}

function isSeparator(code: number): boolean {
  return code === DOT || code === MINUS;
}

/** Writes what follows the numbers, and the end; returns where the key ends, or -1. */
function writeModifier(version: string, start: number, end: number, out: Uint8Array, start0: number): number {
  let at = start0;
  let from = start;
  if (from < end && (isSeparator(version.charCodeAt(from)) || version.charCodeAt(from) === UNDERSCORE))
    from++;
  const word = wordAt(version, from, end);
  let isStable = false;
  if (word !== undefined) {
    // As in composer/semver, only in lower case: it is then dropped with all that follows.
    isStable = word === 'stable' && version.startsWith(word, from);
    out[at++] = word === 'stable' ? UNKNOWN : php.rankOf(version, from);
    from += word.length;
    while (from < end) {
      const first = isSeparator(version.charCodeAt(from)) ? from + 1 : from;
      const to = digitsEnd(version, first, end);
      if (to === first) break;
      at = writeNumber(version, first, to, out, at);
      from = to;
    }
  }
  if (from < end) {
    if (isSeparator(version.charCodeAt(from))) from++;
    if (!isWord(version, from, end, 'dev')) return -1;
    out[at++] = DEV;
  }
  if (isStable) at = start0;
  out[at] = END;
  return at + 1;
}

function wordAt(version: string, from: number, end: number): string | undefined {
  if (from === end) return undefined;
  for (const word of WORDS) if (startsWith(version, from, end, word)) return word;
  return undefined;
}

function writeBranch(version: string, start: number, last: number, out: Uint8Array): number {
  let end = last - 3;
  if (end <= start || !isWord(version, end, last, 'dev')) return -1;
  if (isSeparator(version.charCodeAt(end - 1))) end--;
  while (end > start && php.isTrimmed(version.charCodeAt(end - 1))) end--;
  let from = digitsEnd(version, start, end);
  let at = writeNumber(version, start, from, out, 0);
  let count = 1;
  for (; from < end && count < MOST_NUMBERS; count++) {
    if (version.charCodeAt(from) !== DOT) return -1;
    const to = digitsEnd(version, ++from, end);
    if (to > from) {
      at = writeNumber(version, from, to, out, at);
      from = to;
    } else {
      const code = from < end ? version.charCodeAt(from++) : DOT;
      if (code !== STAR && (code | 32) !== 120) return -1; // x
      at = php.writeNumber(ANY_NUMBER, out, at);
    }
  }
  if (from < end) return -1;
  for (; count < MOST_NUMBERS; count++) at = php.writeNumber(ANY_NUMBER, out, at);
  out[at] = DEV;
  out[at + 1] = END;
  return at + 2;
}

function writeNumber(version: string, from: number, to: number, out: Uint8Array, at: number): number {
  if (to - from > EXACT_DIGITS) {
    const small = php.readLongNumber(version, from, to);
    if (small < 0 || small >= INLINE_NUMBERS) return php.writeReadNumber(out, at);
    out[at] = NUMBER + small;
    return at + 1;
  }
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + (version.charCodeAt(i) - 48);
  if (value >= INLINE_NUMBERS) return php.writeNumber(value, out, at);
  out[at] = NUMBER + value;
  return at + 1;
}
