// How versions of the package ecosystems were read: the parts of their keys, as key-parts.ts does it for the
// other schemes. Composer's keys are php's and Go's are semver's, so they are read there.

import { readDigits } from './digits.ts';
import * as gem from './gem.ts';
import type { VersionPart } from './key-parts.ts';
import * as maven from './maven.ts';
import * as nuget from './nuget.ts';
import * as pep440 from './pep440.ts';

const ZERO: VersionPart = { kind: 'number', text: '0' };
const STEP: VersionPart = { kind: 'step', text: '-' };
const TAIL_WORDS = ['dev', 'a', 'b', 'rc'] as const; // by first byte of a tail

/** The parts of a pep440 key: an epoch other than 0, the release without zeros at its end, the words. */
export function readPep440Key(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  let [text, at] = readDigits(key, 0, 0);
  const number = (lead: number): void => {
    [text, at] = readDigits(key, at, lead);
    parts.push({ kind: 'number', text });
  };
  const word = (name: string): void => {
    parts.push({ kind: 'word', text: name });
    at++;
    number(0);
  };
  if (text !== '0') parts.push({ kind: 'epoch', text });
  const release = parts.length;
  while (key[at] >= pep440.PART) number(pep440.PART);
  if (parts.length === release) parts.push(ZERO);
  if (key[at] < pep440.FINAL) {
    const isOnlyDev = key[at] === pep440.ONLY_DEV;
    word(TAIL_WORDS[key[at]]);
    if (isOnlyDev) return [...parts, ...readLocal(key, at)];
  } else {
    at++;
  }
  if (key[at] === pep440.POST) word('post');
  if (key[at] === pep440.DEV) word('dev');
  else at++;
  return [...parts, ...readLocal(key, at)];
}

function readLocal(key: Uint8Array, start: number): VersionPart[] {
  const parts: VersionPart[] = [];
  let at = start;
  while (at < key.length) {
    if (key[at] === pep440.LOCAL_TEXT) {
      const end = key.indexOf(0, at);
      parts.push({ kind: 'local', text: String.fromCharCode(...key.subarray(at + 1, end)) });
      at = end + 1;
    } else {
      const [text, end] = readDigits(key, at, pep440.LOCAL_NUMBER);
      parts.push({ kind: 'local', text });
      at = end;
    }
  }
  return parts;
}

/** The parts of a gem key, without its endless zeros. */
export function readGemKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  const zeros = (count: number): void => {
    for (let i = 0; i < count; i++) parts.push(ZERO);
  };
  let at = 0;
  for (;;) {
    const first = key[at];
    if (first === gem.END) return parts.length === 0 ? [ZERO] : parts;
    if (first > gem.BELOW && first < gem.PART) {
      at++;
      if (first < gem.LONG_RUN_BELOW) zeros(first - gem.BELOW);
      else if (first > gem.LONG_RUN_ABOVE) zeros(gem.PART - first);
      else zeros(first === gem.LONG_RUN_BELOW ? key[at++] : 255 - key[at++]);
    }
    if (key[at] >= gem.PART) {
      const [text, end] = readDigits(key, at, gem.PART);
      parts.push({ kind: 'number', text });
      at = end;
    } else {
      const end = key.indexOf(0, at);
      parts.push({ kind: 'identifier', text: String.fromCharCode(...key.subarray(at, end)) });
      at = end + 1;
    }
  }
}

/** The parts of a maven key; a step down is a dash. */
export function readMavenKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  let at = 0;
  while (key[at] !== maven.END) {
    const first = key[at];
    if (first >= maven.PART) {
      const [text, end] = readDigits(key, at, maven.PART);
      parts.push({ kind: 'number', text });
      at = end;
    } else if (first === maven.TEXT) {
      const end = key.indexOf(0, at);
      parts.push({ kind: 'identifier', text: textOf(key.subarray(at + 1, end)) });
      at = end + 1;
    } else {
      parts.push(MAVEN_PARTS[first]);
      at++;
    }
  }
  return parts.length === 0 ? [ZERO] : parts;
}

const RELEASE: VersionPart = { kind: 'word', text: 'release' };
/** By byte; those of the end and of a text are not asked for. */
const MAVEN_PARTS: readonly VersionPart[] = [
  RELEASE,
  ...maven.QUALIFIERS.map((text) => ({ kind: 'word', text }) as const),
  RELEASE,
  STEP,
  ZERO,
  RELEASE,
  RELEASE,
  { kind: 'word', text: 'sp' },
  RELEASE,
  STEP,
  ZERO,
];

/** UTF-8 in which each half of a pair stands by itself. */
function textOf(bytes: Uint8Array): string {
  const units: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const first = bytes[i];
    if (first < 0x80) units.push(first);
    else if (first < 0xe0) units.push(((first & 31) << 6) | (bytes[++i] & 63));
    else units.push(((first & 15) << 12) | ((bytes[++i] & 63) << 6) | (bytes[++i] & 63));
  }
  return String.fromCharCode(...units);
}

/** The parts of a nuget key: four numbers, then labels, those with letters in upper case. */
export function readNugetKey(key: Uint8Array): VersionPart[] {
  const parts: VersionPart[] = [];
  let at = 0;
  while (parts.length < 4) {
    const [text, end] = readDigits(key, at, 0);
    parts.push({ kind: 'number', text });
    at = end;
  }
  if (key[at] === nuget.RELEASE) return parts;
  while (key[at] !== 0) {
    if (key[at] > nuget.CHARACTER + 44) {
      // the first character is a dash or above
      const end = key.indexOf(0, at);
      const codes = [...key.subarray(at, end)].map((byte) => byte - nuget.CHARACTER);
      parts.push({ kind: 'identifier', text: String.fromCharCode(...codes) });
      at = end + 1;
    } else {
      const [text, end] = readDigits(key, at, nuget.LABEL);
      parts.push({ kind: 'identifier', text });
      at = end;
    }
  }
  return parts;
}
