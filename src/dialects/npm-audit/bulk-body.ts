// The body of a bulk request: names with their versions. Most packages of a tree have no advisory, so their
// versions are never looked at: a body in the form that clients write is only measured, and the versions of a
// name are parsed when they are asked for. JSON.parse of 1,500 names takes longer than all of their verdicts.
// Any other body goes through JSON.parse.
//
//     {"name":["1.0.0","1.2.0"],"other":["2.0.0"]}     ASCII without escapes, any blanks between tokens
//      ^    ^ ^               ^                        four places for each name

import { isObject, readJson } from '../../http/json-body.ts';
import type { Steps } from '../../http/work/steps.ts';
import { MAX_NAMES, MAX_VERSIONS } from './body.ts';
import type { Verdicts } from './verdicts.ts';

export type ReadBulk =
  | { readonly kind: 'packages'; readonly packages: Packages }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'not-versions'; readonly name: string }
  | { readonly kind: 'too-many'; readonly what: string };

export interface Packages {
  /** As sent: equal names count each. Of those, the last is meant. */
  readonly nameCount: number;
  nameAt(index: number): string;
  /** Whether there is any advisory about the name with this index. */
  isKnownAt(index: number, verdicts: Verdicts): boolean;
  /** What is listed for the name with this index; not each need be a version. */
  versionsAt(index: number): readonly unknown[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const PLACES = 4;
/** Read without a pause, which takes half a millisecond. */
const READ_CHARS = 64 * 1024;

const TOO_MANY_NAMES: ReadBulk = { kind: 'too-many', what: `name ${MAX_NAMES} packages` };
const TOO_MANY_VERSIONS: ReadBulk = { kind: 'too-many', what: `ask for ${MAX_VERSIONS} versions in all` };

export function* readBulk(body: Uint8Array): Steps<ReadBulk> {
  return (yield* readPlainBulk(body)) ?? (yield* readAnyBulk(body));
}

/** A body of any form, by JSON.parse, which lists names that are whole numbers first. */
export function* readAnyBulk(body: Uint8Array): Steps<ReadBulk> {
  const read = yield* readJson(body);
  if (read.kind === 'too-complex') return { kind: 'too-many', what: read.what };
  if (read.kind === 'not-json' || !isObject(read.value)) return { kind: 'not-json' };
  const asked = read.value;
  const names = Object.keys(asked);
  if (names.length > MAX_NAMES) return TOO_MANY_NAMES;
  const lists: (readonly unknown[])[] = [];
  let versionCount = 0;
  for (const name of names) {
    const versions = asked[name];
    if (!Array.isArray(versions)) return { kind: 'not-versions', name };
    lists.push(versions);
    versionCount += versions.length;
  }
  if (versionCount > MAX_VERSIONS) return TOO_MANY_VERSIONS;
  const packages: Packages = {
    nameCount: names.length,
    nameAt: (index) => names[index],
    isKnownAt: (index, verdicts) => verdicts.isKnown(names[index]),
    versionsAt: (index) => lists[index],
  };
  return { kind: 'packages', packages };
}

/** Undefined for a body in any other form, valid or not. */
function* readPlainBulk(body: Uint8Array): Steps<ReadBulk | undefined> {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const places: number[] = [];
  let versionCount = 0;
  let pauseAt = READ_CHARS;
  let at = tokenAfter(text, -1);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return undefined;
  at = tokenAfter(text, at);
  let isOpen = text.charCodeAt(at) !== CLOSE_OBJECT;
  while (isOpen) {
    const nameEnd = stringEnd(text, at);
    const colon = tokenAfter(text, nameEnd);
    const listStart = tokenAfter(text, colon);
    if (nameEnd < 0 || text.charCodeAt(colon) !== COLON || text.charCodeAt(listStart) !== OPEN_LIST) {
      return undefined;
    }
    let listEnd = tokenAfter(text, listStart);
    if (text.charCodeAt(listEnd) !== CLOSE_LIST) {
      for (let separator = COMMA; separator === COMMA; ) {
        const versionEnd = stringEnd(text, listEnd);
        if (versionEnd < 0) return undefined;
        versionCount++;
        const next = tokenAfter(text, versionEnd);
        separator = text.charCodeAt(next);
        listEnd = separator === COMMA ? tokenAfter(text, next) : next;
      }
      if (text.charCodeAt(listEnd) !== CLOSE_LIST) return undefined;
    }
    places.push(at + 1, nameEnd, listStart, listEnd + 1);
    if (places.length > MAX_NAMES * PLACES) return TOO_MANY_NAMES;
    if (versionCount > MAX_VERSIONS) return TOO_MANY_VERSIONS;
    at = tokenAfter(text, listEnd);
    isOpen = text.charCodeAt(at) === COMMA;
    if (at > pauseAt) {
      yield;
      pauseAt = at + READ_CHARS;
    }
    if (isOpen) at = tokenAfter(text, at);
  }
  if (text.charCodeAt(at) !== CLOSE_OBJECT || tokenAfter(text, at) < text.length) return undefined;
  const packages: Packages = {
    nameCount: places.length / PLACES,
    nameAt: (index) => text.slice(places[index * PLACES], places[index * PLACES + 1]),
    // ASCII, so that characters and bytes are at the same places.
    isKnownAt: (index, verdicts) =>
      verdicts.isKnownAscii(body, places[index * PLACES], places[index * PLACES + 1]),
    // Only strings are between the brackets.
    versionsAt: (index) =>
      JSON.parse(text.slice(places[index * PLACES + 2], places[index * PLACES + 3])) as string[],
  };
  return { kind: 'packages', packages };
}

/** Where the next token begins, after the one that ends at `end`. */
function tokenAfter(text: string, end: number): number {
  let at = end + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/**
 * Where the string that begins at `start` ends; -1 if none begins there, or if it is not ASCII without
 * escapes.
 */
function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code < 0x20 || code >= 0x80 || code === BACKSLASH) return -1;
  }
  return -1;
}
