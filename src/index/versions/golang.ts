// The order of Go's modules and of Go itself: SemVer 2 without node-semver's liberties, with or without a v,
// and the tags of the standard library. Owns what counts as a version; semver.ts owns the bytes.
//
//     v1.2.3-rc.1+incompatible    SemVer 2; pseudo-versions are pre-releases of it, builds do not count
//     v1.2                        1.2.0, as Go's own package reads it; without pre-release and build
//     go1.22rc1                   1.22.0-rc.1, as govulncheck reads a tag; also beta
//     1.22rc1                     the same: in SemVer a dash would follow the numbers

import { digitsEnd, isDigit, isLetter } from './digits.ts';
import { writeSemverKey } from './semver.ts';

const DOT = 46;
const MINUS = 45;
const PLUS = 43;
const ZERO = 48;

/**
 * Writes the key of a version at out[0..] and returns its length, or -1 when the string is not a version.
 * Requires: space for one byte per character, plus four.
 */
export function writeGolangKey(version: string, out: Uint8Array): number {
  if (version.charCodeAt(0) === 103 && version.charCodeAt(1) === 111) return writeTagKey(version, 2, out);
  const end = version.length;
  let from = version.charCodeAt(0) === 118 ? 1 : 0; // v
  const core = coreEnd(version, from);
  if (core < 0) return -1;
  from = core;
  if (from < end) {
    if (isDigit(version.charCodeAt(0)) && isLetter(version.charCodeAt(from)))
      return writeTagKey(version, 0, out);
    if (coreCount < 3) return -1;
    if (version.charCodeAt(from) === MINUS) from = identifiersEnd(version, from, true);
    if (from > 0 && from < end && version.charCodeAt(from) === PLUS) {
      from = identifiersEnd(version, from, false);
    }
    if (from !== end) return -1;
  }
  return writeSemverKey(version, out); // it skips the v
}

/** `go1.22`, `go1.21.3`, `go1.22rc1`, whose numbers begin at `start`. */
function writeTagKey(version: string, start: number, out: Uint8Array): number {
  const end = version.length;
  const core = coreEnd(version, start);
  if (core < 0) return -1;
  const missing = '.0'.repeat(3 - coreCount);
  if (core === end) return writeSemverKey(version.slice(start) + missing, out);
  const word = version.startsWith('rc', core) ? 'rc' : 'beta';
  const from = core + word.length;
  if (!version.startsWith(word, core) || from === end || digitsEnd(version, from, end) < end) return -1;
  return writeSemverKey(`${version.slice(start, core)}${missing}-${word}.${version.slice(from)}`, out);
}

/** How many numbers `coreEnd` passed. */
let coreCount = 0;

/** Where one to three numbers without leading zeros end, or -1 if there are none. */
function coreEnd(version: string, start: number): number {
  const end = version.length;
  let from = start;
  for (coreCount = 1; ; coreCount++) {
    const to = digitsEnd(version, from, end);
    if (to === from || (to - from > 1 && version.charCodeAt(from) === ZERO)) return -1;
    if (coreCount === 3 || to === end || version.charCodeAt(to) !== DOT) return to;
    from = to + 1;
  }
}

/** Where the identifiers after a mark end, or -1 if one is empty, or a number with a leading zero. */
function identifiersEnd(version: string, mark: number, isPrerelease: boolean): number {
  const end = version.length;
  let from = mark;
  do {
    const first = ++from;
    let isNumber = true;
    for (; from < end; from++) {
      const code = version.charCodeAt(from);
      if (isDigit(code)) continue;
      if (!isLetter(code) && code !== MINUS) break;
      isNumber = false;
    }
    if (from === first) return -1;
    if (isPrerelease && isNumber && from - first > 1 && version.charCodeAt(first) === ZERO) return -1;
  } while (from < end && version.charCodeAt(from) === DOT);
  return from;
}
