// The decimal order: versions are tokenised as in php, but numbers compare as the digits after a decimal
// point (3.5 is above 3.41) and a version continues with zeros for ever (3 is 3.0). Owns the bytes of a
// decimal key; php.ts owns the tokens.
//
// Because of the endless zeros, a run of k zeros is written together with the token t that ends it:
//
//     LOW  k  t   t is below zero (an empty last part, a word up to rc): the sooner it comes, the lower
//     MIDDLE      only zeros from here on; the end of the key, plus or minus the surplus (see below)
//     HIGH k' t   t is above zero (a number, pl): the sooner it comes, the higher, so k is counted down
//
// LOW is 0 and up, HIGH is 255 and down, both in the same byte as k; a k of RUN or more takes a second byte.
// Missing parts are counted by the dots as written, before php splits '1-0' into more parts and merges '1..0'
// into fewer. Versions that are otherwise equal are therefore ordered by their surplus, tokens minus dotted
// parts: 1..0 < 1.0 = 1 < 1-0.
//
// A token below zero is its php rank. A number is its digits in pairs, trailing zeros cut, each pair as
// 2 * (0..99) + (1 when more pairs follow); pl is 255, above all of these.
//
// The rule as published compares two versions at a time and pads only parts made of digits alone. That is not
// an order when a part mixes digits with something else: 0.83b < 0.83 < 0.9, but 0.9 < 0.83b, because 83 is
// then a plain number. Here every run of digits is a fraction, so a pre-release stays next to its release.

import * as php from './php.ts';

// Copies, because V8 does not inline imported constants: 130 ns per key with the imports, 50 ns with these.
const EMPTY_LAST = php.EMPTY_LAST;
const END = php.END;
const NUMBER = php.NUMBER;

export const MIDDLE = 128;
export const HIGH = 255;
const MAX_SURPLUS = 26; // keeps MIDDLE between the longest runs, 100 and 155; a larger surplus counts as this
export const RUN = 100; // at most 256 zeros, which leaves 156 for the second byte

const tokens = new php.PhpTokens();

/**
 * Writes the key of any version at out[0..] and returns its length. Requires: space for two bytes per byte of
 * the version, plus one.
 */
export function writeDecimalKey(version: string, out: Uint8Array): number {
  tokens.start(version);
  let at = 0;
  let zeros = 0;
  let surplus = -1;
  for (;;) {
    const kind = tokens.next();
    if (kind === END) {
      surplus -= dotsIn(version);
      out[at] = MIDDLE + Math.max(-MAX_SURPLUS, Math.min(surplus, MAX_SURPLUS));
      return at + 1;
    }
    surplus++;
    if (kind < END) {
      if (zeros < RUN) {
        out[at++] = zeros;
      } else {
        out[at++] = RUN;
        out[at++] = zeros - RUN;
      }
      out[at++] = kind;
      if (kind === EMPTY_LAST) return at;
      zeros = 0;
      continue;
    }
    let to = tokens.to;
    if (kind === NUMBER) {
      while (to > tokens.from && tokens.text.charCodeAt(to - 1) === 48) to--;
      if (to === tokens.from) {
        zeros++;
        continue;
      }
    }
    if (zeros < RUN) {
      out[at++] = HIGH - zeros;
    } else {
      out[at++] = HIGH - RUN;
      out[at++] = 255 - (zeros - RUN);
    }
    zeros = 0;
    if (kind === NUMBER) at = writeFraction(tokens.text, tokens.from, to, out, at);
    else out[at++] = kind;
  }
}

function dotsIn(version: string): number {
  let dots = 0;
  for (let i = 0; i < version.length; i++) if (version.charCodeAt(i) === 46) dots++;
  return dots;
}

function writeFraction(text: string, from: number, to: number, out: Uint8Array, start: number): number {
  let at = start;
  for (let i = from; i < to; i += 2) {
    const tens = text.charCodeAt(i) - 48;
    const ones = i + 1 < to ? text.charCodeAt(i + 1) - 48 : 0;
    out[at++] = 2 * (10 * tens + ones) + (i + 2 < to ? 1 : 0);
  }
  return at;
}
