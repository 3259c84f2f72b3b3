// Entity tags: the snapshot's id and the revision of the response format, so that they are the same on every
// replica and cost nothing to make.

import type { Generation } from '../index/generation.ts';

/** Raised whenever the same snapshot is answered in other bytes. */
export const RESPONSE_REVISION = 1;

let lastId = '';
let lastTag = '';

export function etagOf({ id }: Generation): string {
  if (id !== lastId) {
    lastId = id;
    lastTag = `"${id}.${RESPONSE_REVISION}"`;
  }
  return lastTag;
}

/** The tag of /latest, which also changes with its window. */
export function windowEtagOf(generation: Generation, state: { start: number; end: number }): string {
  return `"${generation.id}.${RESPONSE_REVISION}.${state.start}-${state.end}"`;
}

/** Whether an If-None-Match header names the tag: `*`, or a list compared weakly (RFC 9110 13.1.2). */
export function isCurrent(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`);
}
