// Turns a version string into its key: bytes whose plain byte-for-byte order is the version order of a
// scheme. One search then serves every scheme, and a query's version is parsed once. Each rule has a file of
// its own.

import { compareBytes } from '../memory/bytes.ts';
import { isLongerThan } from '../memory/text-limits.ts';
import { completeGolang, completeSemver } from './complete.ts';
import { writeComposerKey } from './composer.ts';
import { writeDecimalKey } from './decimal.ts';
import { writeGemKey } from './gem.ts';
import { writeGolangKey } from './golang.ts';
import {
  readDecimalKey,
  readPhpKey,
  readSemverKey,
  readWordpressKey,
  type VersionPart,
} from './key-parts.ts';
import { writeMavenKey } from './maven.ts';
import { writeNugetKey } from './nuget.ts';
import { readGemKey, readMavenKey, readNugetKey, readPep440Key } from './package-key-parts.ts';
import { publicPartOf, writePep440Key } from './pep440.ts';
import { writePhpKey } from './php.ts';
import { writeSemverKey } from './semver.ts';
import { writeWordpressKey } from './wordpress.ts';

interface SchemeShape {
  readonly name: string;
  /** Part of every snapshot. Raised with any change to the bytes of the scheme's keys, and never reused. */
  readonly revision: number;
  /** Writes the key at out[0..] and returns its length, or -1 when the string is not a version. */
  readonly write: (version: string, out: Uint8Array) => number;
  /** The parts of a key that `write` wrote, for people. */
  readonly read: (key: Uint8Array) => VersionPart[];
  /**
   * Whether it has a grammar and refuses other texts. The other schemes order any text with a letter or a
   * digit.
   */
  readonly isStrict: boolean;
  /** The texts that, as a lower bound, mean "unbounded"; null if there are none. */
  readonly lowest: RegExp | null;
  /** What a version is, as in a message: with its article. */
  readonly phrase: string;
  /** A bound as parsers of the ecosystem's ranges read it; absent if they read it as published. */
  readonly complete?: (version: string) => string;
  /** Whether a leading `=` is part of a version, and not an operator before one. */
  readonly takesEquals?: boolean;
  /** The part of a version that advisories are about; absent if that is all of it. */
  readonly publicPart?: (version: string) => string;
}

/** As OSV writes "from the very first version". What equals it is a version like others. */
const ONLY_ZERO = /^0$/;
const ANY_TEXT = 'a text with a letter a-z or a digit, such as 1.2.3';

/** The position in this table is the scheme's code in a snapshot: docs/snapshot-format.md. Append only. */
const SCHEME_ROWS = [
  {
    name: 'php',
    revision: 2,
    write: writePhpKey,
    read: readPhpKey,
    isStrict: false,
    lowest: null,
    phrase: ANY_TEXT,
  },
  {
    name: 'decimal', // its tokens are php's
    revision: 2,
    write: writeDecimalKey,
    read: readDecimalKey,
    isStrict: false,
    lowest: null,
    phrase: ANY_TEXT,
  },
  {
    name: 'semver',
    revision: 3,
    write: writeSemverKey,
    read: readSemverKey,
    isStrict: true,
    // OSV writes "from the very first version" as `0`, which includes the pre-releases of 0.0.0 that semver
    // sorts below it.
    lowest: /^[v=\s]*0+(?:\.0+){0,2}(?:\+[\da-zA-Z.-]+)?\s*$/, // all that equals 0
    phrase: 'a semantic version, such as 1.2.3',
    complete: completeSemver,
    takesEquals: true,
  },
  {
    name: 'wordpress',
    revision: 1,
    write: writeWordpressKey,
    read: readWordpressKey,
    isStrict: false,
    lowest: null,
    phrase: ANY_TEXT,
  },
  {
    name: 'pep440',
    revision: 2,
    write: writePep440Key,
    read: readPep440Key,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a version of PEP 440, such as 1.2.3 or 1!2.0rc1',
    publicPart: publicPartOf,
  },
  {
    name: 'composer', // its keys are php's
    revision: 2,
    write: writeComposerKey,
    read: readPhpKey,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a version of Composer, such as 1.2.3 or 2.0.0-beta1',
  },
  {
    name: 'golang', // its keys are semver's
    revision: 2,
    write: writeGolangKey,
    read: readSemverKey,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a version of a Go module or of Go, such as v1.2.3 or go1.22rc1',
    complete: completeGolang,
  },
  {
    name: 'gem',
    revision: 2,
    write: writeGemKey,
    read: readGemKey,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a version of RubyGems, such as 1.2.3 or 2.0.0.rc1',
  },
  {
    name: 'maven',
    revision: 2,
    write: writeMavenKey,
    read: readMavenKey,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a text without control characters, such as 1.2.3 or 2.0-M1',
  },
  {
    name: 'nuget',
    revision: 2,
    write: writeNugetKey,
    read: readNugetKey,
    isStrict: true,
    lowest: ONLY_ZERO,
    phrase: 'a version of NuGet, such as 1.2.3 or 1.2.3.4-beta',
  },
] as const satisfies readonly SchemeShape[];

export type VersionScheme = (typeof SCHEME_ROWS)[number]['name'];
export const VERSION_SCHEMES: readonly VersionScheme[] = SCHEME_ROWS.map(({ name }) => name);

export interface SchemeFacts extends Required<Omit<SchemeShape, 'publicPart'>> {
  readonly name: VersionScheme;
  /** The scheme's code in a snapshot. */
  readonly code: number;
  readonly publicPart: ((version: string) => string) | null;
}

/** Of a scheme whose bounds need no completion. */
export const asPublished = (version: string): string => version;

type SchemeRow = SchemeShape & { readonly name: VersionScheme };

/** The facts about each scheme, by its code. */
export const SCHEME_TABLE: readonly SchemeFacts[] = SCHEME_ROWS.map((row: SchemeRow, code) => ({
  complete: asPublished,
  takesEquals: false,
  publicPart: null,
  ...row,
  code,
}));

const BY_NAME = Object.fromEntries(SCHEME_TABLE.map((facts) => [facts.name, facts])) as Readonly<
  Record<VersionScheme, SchemeFacts> // one for each row
>;

export function schemeFacts(name: VersionScheme): SchemeFacts {
  return BY_NAME[name];
}

export const SCHEME_REVISIONS = Object.fromEntries(
  SCHEME_TABLE.map(({ name, revision }) => [name, revision]),
) as Readonly<Record<VersionScheme, number>>; // one for each row

/** Longest version, in bytes of UTF-8. */
export const MAX_VERSION_BYTES = 256;

/**
 * No key is longer. Gem is the widest: a dash is the word pre, 3 bytes and its end, and any other character
 * at most 3; the first character is a digit and takes 1, the end 1. Maven writes at most 3 bytes per byte of
 * the version (x1: a mark, x, its end, a step, the digit, a step) and 2. Decimal: a token of d >= 1
 * characters takes 1 byte for its zero run and at most max(1, ceil(d / 2)) more, so at most 2 per character;
 * a second run byte needs 100 zeros, which wrote nothing; the end is 1. An empty first or last part has a
 * separator of its own, except that the version '.' has one for both: 4 bytes. The others write at most 1
 * byte per character and 20.
 */
export const MAX_KEY_BYTES = 4 * MAX_VERSION_BYTES;

/**
 * Writes the key at out[0..] and returns its length, or -1 when the string is not a version of the scheme
 * with this code. Requires: out.length >= MAX_KEY_BYTES. Bytes past the key may be overwritten too.
 */
export function writeKeyOfScheme(code: number, version: string, out: Uint8Array): number {
  return isLongerThan(version, MAX_VERSION_BYTES) ? -1 : SCHEME_TABLE[code].write(version, out);
}

/**
 * Whether the scheme has a grammar and refuses other texts; the other schemes order any text with a letter or
 * a digit.
 */
export function isStrictScheme(scheme: VersionScheme): boolean {
  return schemeFacts(scheme).isStrict;
}

const scratch = new Uint8Array(MAX_KEY_BYTES);

/** The key in an array of exactly its size, or undefined when the string is not a version of the scheme. */
export function keyUnder(scheme: SchemeFacts, version: string): Uint8Array | undefined {
  const length = writeKeyOfScheme(scheme.code, version, scratch);
  return length < 0 ? undefined : scratch.slice(0, length);
}

/** `keyUnder` the scheme of this name. */
export function versionKey(scheme: VersionScheme, version: string): Uint8Array | undefined {
  return keyUnder(schemeFacts(scheme), version);
}

/** How the scheme reads a version, or undefined when the string is not a version of it. */
export function readVersion(scheme: SchemeFacts, version: string): readonly VersionPart[] | undefined {
  const key = keyUnder(scheme, version);
  return key === undefined ? undefined : scheme.read(key);
}

/** What a version of the scheme is, as in a message: with its article. */
export function schemePhrase(scheme: VersionScheme): string {
  return schemeFacts(scheme).phrase;
}

/** The key of a text known to be a version of the scheme. */
export function getVersionKey(scheme: VersionScheme, version: string): Uint8Array {
  const key = versionKey(scheme, version);
  if (key === undefined) throw new RangeError(`${JSON.stringify(version)} is not a ${scheme} version`);
  return key;
}

/**
 * Whether a text of at most MAX_VERSION_BYTES bytes has a letter a-z or a digit: any other is not a version
 * anywhere.
 */
export function hasLetterOrDigit(version: string): boolean {
  for (let i = 0; i < version.length; i++) {
    const code = version.charCodeAt(i);
    if (code >= 48 && code <= 57) return true;
    const lower = code | 32;
    if (lower >= 97 && lower <= 122 && code < 128) return true;
  }
  return false;
}

/** Sign of the order of two keys. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return compareBytes(a, 0, a.length, b, 0, b.length);
}
