// The body of a bulk request: names with their versions. Most packages of a tree have no advisory, so their
// versions are never looked at: a body in the form that clients write is only measured, and the versions of a
// name are parsed when they are asked for. JSON.parse of 1,500 names takes longer than all of their verdicts.
// Any other body goes through JSON.parse.
//
//     {"name":["1.0.0","1.2.0"],"other":["2.0.0"]}     as plain-json.ts reads it
//      ^    ^ ^               ^                        four places for each name

import { isObject, readJson } from '../../http/bodies/json-body.ts';
import { PlainJson } from '../../http/bodies/plain-json.ts';
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

const PLACES = 4;
/** Read without a pause, which takes half a millisecond. */
const READ_BYTES = 64 * 1024;

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
  const json = new PlainJson(body);
  const places: number[] = [];
  let versionCount = 0;
  let pauseAt = READ_BYTES;
  if (!json.openObject()) return undefined;
  if (!json.closeObject()) {
    do {
      if (!json.string()) return undefined;
      const { start, end } = json;
      if (!json.colon() || !json.openList()) return undefined;
      const listStart = json.at - 1;
      if (!json.closeList()) {
        do {
          if (!json.string()) return undefined;
          versionCount++;
        } while (json.comma());
        if (!json.closeList()) return undefined;
      }
      places.push(start, end, listStart, json.at);
      if (places.length > MAX_NAMES * PLACES) return TOO_MANY_NAMES;
      if (versionCount > MAX_VERSIONS) return TOO_MANY_VERSIONS;
      if (json.at > pauseAt) {
        yield;
        pauseAt = json.at + READ_BYTES;
      }
    } while (json.comma());
    if (!json.closeObject()) return undefined;
  }
  if (!json.isDone()) return undefined;
  const packages: Packages = {
    nameCount: places.length / PLACES,
    nameAt: (index) => json.textAt(places[index * PLACES], places[index * PLACES + 1]),
    isKnownAt: (index, verdicts) =>
      verdicts.isKnownAscii(body, places[index * PLACES], places[index * PLACES + 1]),
    // Only strings are between the brackets.
    versionsAt: (index) =>
      JSON.parse(json.textAt(places[index * PLACES + 2], places[index * PLACES + 3])) as string[],
  };
  return { kind: 'packages', packages };
}
