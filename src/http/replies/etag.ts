// Entity tags: the snapshot's id and the revision of a dialect's answers. So they are the same on every
// replica and cost nothing to compute.

import type { Generation } from '../../index/generation.ts';

/** A function that returns the tag of a generation's answers in this revision. */
export function snapshotTags(revision: number): (generation: Generation) => string {
  let lastId = '';
  let lastTag = '';
  return ({ id }) => {
    if (id !== lastId) {
      lastId = id;
      lastTag = `"${id}.${revision}"`;
    }
    return lastTag;
  };
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
