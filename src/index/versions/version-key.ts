// Turns a version string into its key: bytes whose plain byte-for-byte order is the version order of a
// scheme. One search then serves every scheme, and a query's version is parsed once. The rules themselves
// stand beside it, one file per rule.

import { writeDecimalKey } from './decimal.ts';
import { writePhpKey } from './php.ts';
import { writeSemverKey } from './semver.ts';
import { writeWordpressKey } from './wordpress.ts';

/** Position in this list is the scheme's code in a snapshot; docs/snapshot-format.md. Append only. */
export const VERSION_SCHEMES = ['php', 'decimal', 'semver', 'wordpress'] as const;
export type VersionScheme = (typeof VERSION_SCHEMES)[number];

/** Longest version, in bytes of UTF-8. */
export const MAX_VERSION_BYTES = 256;

/**
 * No key is longer. Decimal is the widest: a token of d >= 1 characters takes 1 byte for its zero run and at
 * most max(1, ceil(d / 2)) more, so at most 2 per character; a second run byte needs 100 zeros, which wrote
 * nothing; the end is 1. An empty first or last part has a separator of its own, except that the version '.'
 * has one for both: 4 bytes. php writes at most 1 byte per character and 1, semver 1 per character and 4.
 */
export const MAX_KEY_BYTES = 2 * MAX_VERSION_BYTES + 1;

/** Part of every snapshot. To be raised with any change to the bytes of a scheme's keys, never reused. */
export const SCHEME_REVISIONS: Readonly<Record<VersionScheme, number>> = {
  php: 2,
  decimal: 2, // its tokens are php's
  semver: 2,
  wordpress: 1,
};

// UTF-16 units to bytes of UTF-8: a lone surrogate is written as U+FFFD, three bytes like its neighbours.
function isTooLong(version: string): boolean {
  const length = version.length;
  if (length * 3 <= MAX_VERSION_BYTES) return false;
  if (length > MAX_VERSION_BYTES) return true;
  let bytes = length;
  for (let i = 0; i < length; i++) {
    const code = version.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < length) {
      const next = version.charCodeAt(i + 1);
      // A pair is four bytes: two beyond its two units, already added.
      if (next >= 0xdc00 && next < 0xe000) i++;
    }
  }
  return bytes > MAX_VERSION_BYTES;
}

/**
 * Writes the key at out[0..] and returns its length, or -1 when the string is not a version of the scheme.
 * Requires: out.length >= MAX_KEY_BYTES. Bytes past the key may be overwritten too.
 */
export function writeVersionKey(scheme: VersionScheme, version: string, out: Uint8Array): number {
  if (isTooLong(version)) return -1;
  if (scheme === 'wordpress') return writeWordpressKey(version, out);
  if (scheme === 'semver') return writeSemverKey(version, out);
  return scheme === 'php' ? writePhpKey(version, out) : writeDecimalKey(version, out);
}

const scratch = new Uint8Array(MAX_KEY_BYTES);

/** The key in an array of exactly its size, or undefined when the string is not a version of the scheme. */
export function versionKey(scheme: VersionScheme, version: string): Uint8Array | undefined {
  const length = writeVersionKey(scheme, version, scratch);
  return length < 0 ? undefined : scratch.slice(0, length);
}

/** The key of a text known to be a version of the scheme. */
export function getVersionKey(scheme: VersionScheme, version: string): Uint8Array {
  const key = versionKey(scheme, version);
  if (key === undefined) throw new RangeError(`${JSON.stringify(version)} is not a ${scheme} version`);
  return key;
}

/** Whether a text of at most MAX_VERSION_BYTES bytes has a letter a-z or a digit: any other is not a version anywhere. */
export function hasLetterOrDigit(version: string): boolean {
  for (let i = 0; i < version.length; i++) {
    const code = version.charCodeAt(i);
    if (code >= 48 && code <= 57) return true;
    const lower = code | 32;
    if (lower >= 97 && lower <= 122 && code < 128) return true;
  }
  return false;
}

/** Sign of the byte-wise order; a prefix comes first. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return comparePooledKey(a, 0, a.length, b, b.length);
}

/** Sign of pool[start..end) against key[0..keyLength), byte-wise, a prefix first. */
export function comparePooledKey(
  pool: Uint8Array,
  start: number,
  end: number,
  key: Uint8Array,
  keyLength: number,
): number {
  const length = end - start;
  const shared = Math.min(length, keyLength);
  for (let i = 0; i < shared; i++) {
    const difference = pool[start + i] - key[i];
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return length === keyLength ? 0 : length < keyLength ? -1 : 1;
}
