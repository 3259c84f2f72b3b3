// How a version was read: the parts of its key, for people. They are decoded from the bytes that are
// compared, so they cannot say anything else than the comparison. What a key leaves out (trailing zeros where
// missing parts count as zero, build metadata, the letters of a word) is not part of them. Each scheme's file
// says how its keys are laid out.

import * as decimal from './decimal.ts';
import * as php from './php.ts';
import * as semver from './semver.ts';
import * as wordpress from './wordpress.ts';

export const PART_KINDS = [
  /** A whole number. */
  'number',
  /** Digits after a decimal point: 5 is above 41. */
  'fraction',
  /** One of the words of PHP's order; `unknown` for any other. */
  'word',
  /** Nothing, after the last separator. */
  'empty',
  /**
   * By how many the parts differ from those between dots; decides only between versions that are otherwise
   * equal.
   */
  'surplus',
  'major',
  'minor',
  'patch',
  /** Of a pre-release, or letters that a scheme compares as text; digits alone are a number. */
  'identifier',
  /** Of PEP 440: precedes the release. */
  'epoch',
  /** Into the next of Maven's nested lists. */
  'step',
  /** Of PEP 440: after the plus. Look-ups ask with and without it. */
  'local',
] as const;

export interface VersionPart {
  readonly kind: (typeof PART_KINDS)[number];
  readonly text: string;
}

/** By rank byte, from php.UNKNOWN. */
const WORDS = ['unknown', 'dev', 'alpha', 'beta', 'rc'] as const;
const ZERO: VersionPart = { kind: 'number', text: '0' };
const ZERO_FRACTION: VersionPart = { kind: 'fraction', text: '0' };
const EMPTY: VersionPart = { kind: 'empty', text: '' };
const PATCH_LEVEL: VersionPart = { kind: 'word', text: 'pl' };

/** The parts of a php key. */
export function readPhpKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  for (let at = 0; key[at] !== php.END; at++) {
    const first = key[at];
    if (first === php.EMPTY_LAST) return [...parts, EMPTY];
    if (first < php.END) parts.push(wordOf(first));
    else at = readAbove(key, at, php.NUMBER, parts);
  }
  return parts;
}

/** The parts of a wordpress key, without its endless zeros. */
export function readWordpressKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  const zeros = (count: number): void => {
    for (let i = 0; i < count; i++) parts.push(ZERO);
  };
  for (let at = 0; key[at] !== wordpress.END; at++) {
    const first = key[at];
    if (first < wordpress.LONG_RUN_BELOW) {
      zeros(Math.floor(first / wordpress.RANKS));
      parts.push(wordOf(php.UNKNOWN + (first % wordpress.RANKS)));
    } else if (first === wordpress.LONG_RUN_BELOW) {
      zeros(key[at + 1]);
      parts.push(wordOf(php.UNKNOWN + key[at + 2]));
      at += 2;
    } else if (first === wordpress.LONG_RUN_ABOVE) {
      zeros(255 - key[at + 1]);
      at++;
    } else if (first < wordpress.FIRST_NUMBER) {
      zeros(wordpress.FIRST_NUMBER - first);
    } else {
      at = readAbove(key, at, wordpress.FIRST_NUMBER - 1, parts);
    }
  }
  return parts.length === 0 ? [ZERO] : parts;
}

/** The parts of a decimal key, without its endless zeros. */
export function readDecimalKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  const zeros = (count: number): void => {
    for (let i = 0; i < count; i++) parts.push(ZERO_FRACTION);
  };
  for (let at = 0; ; at++) {
    const first = key[at];
    if (first <= decimal.RUN) {
      zeros(first < decimal.RUN ? first : decimal.RUN + key[++at]);
      const rank = key[++at];
      if (rank === php.EMPTY_LAST) return [...parts, EMPTY];
      parts.push(wordOf(rank));
    } else if (first < decimal.HIGH - decimal.RUN) {
      if (parts.length === 0) parts.push(ZERO_FRACTION);
      const surplus = first - decimal.MIDDLE;
      if (surplus !== 0) parts.push({ kind: 'surplus', text: surplus > 0 ? `+${surplus}` : String(surplus) });
      return parts;
    } else {
      const run = decimal.HIGH - first;
      zeros(run < decimal.RUN ? run : decimal.RUN + 255 - key[++at]);
      if (key[at + 1] === php.PL) {
        parts.push(PATCH_LEVEL);
        at++;
        continue;
      }
      let digits = '';
      do digits += String(key[++at] >> 1).padStart(2, '0');
      while ((key[at] & 1) === 1);
      parts.push({ kind: 'fraction', text: digits.replace(/0$/, '') });
    }
  }
}

/** The parts of a semver key: three numbers, then the identifiers of a pre-release. */
export function readSemverKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  let at = 0;
  for (const kind of ['major', 'minor', 'patch'] as const) {
    const count = Math.max(0, key[at] - semver.LONG_CORE);
    parts.push({ kind, text: count === 0 ? String(key[at]) : wholeNumber(key, at + 1, at + 1 + count) });
    at += 1 + count;
  }
  if (key[at] === semver.RELEASE) return parts;
  while (key[at] !== 0) {
    const first = key[at];
    const start = at + 1;
    if (first <= semver.LONG_IDENTIFIER) {
      parts.push({ kind: 'identifier', text: String(first - 1) });
      at = start;
    } else if (first < semver.FLOAT_IDENTIFIER) {
      at = start + first - semver.LONG_IDENTIFIER;
      parts.push({ kind: 'identifier', text: wholeNumber(key, start, at) });
    } else if (first === semver.FLOAT_IDENTIFIER) {
      // Finite: 256 digits at most.
      const rounded = new DataView(key.buffer, key.byteOffset + start, 8).getFloat64(0);
      parts.push({ kind: 'identifier', text: String(BigInt(rounded)) });
      at = start + 8;
    } else {
      const end = key.indexOf(0, at);
      parts.push({ kind: 'identifier', text: String.fromCharCode(...key.subarray(at, end)) });
      at = end + 1;
    }
  }
  return parts;
}

function wordOf(rank: number): VersionPart {
  return { kind: 'word', text: WORDS[rank - php.UNKNOWN] };
}

/** A number or pl, whose numbers begin at the byte `zero`; returns where its last byte is. */
function readAbove(key: Uint8Array, at: number, zero: number, parts: VersionPart[]): number {
  const first = key[at];
  if (first === php.PL) {
    parts.push(PATCH_LEVEL);
    return at;
  }
  const count = first < php.LONG_NUMBER ? 0 : first - php.LONG_NUMBER + 1;
  const text = count === 0 ? String(first - zero) : wholeNumber(key, at + 1, at + 1 + count);
  parts.push({ kind: 'number', text });
  return at + count;
}

/** Big-endian bytes as a decimal number. */
function wholeNumber(key: Uint8Array, from: number, to: number): string {
  let value = 0n;
  for (let i = from; i < to; i++) value = value * 256n + BigInt(key[i]);
  return String(value);
}
