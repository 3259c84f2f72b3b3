// The files that a follower has put into the folder of snapshots: which are there, and which may go. Never
// touches another file.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestSnapshot } from './manifest.ts';
import { type FetchedFile, fileNameOf, type SourceMemory } from './source-memory.ts';

export const PART_SUFFIX = '.part';
/** The live one, the one before, and one more to roll back to. */
const KEPT_FILES = 3;
const PART = /^fleet-[0-9a-f]{16}\.vdx\.part$/;

/** Whether the snapshot is in the folder, fetched by this or an earlier process. */
export function isFetched(
  folder: string,
  { fetched }: SourceMemory,
  { id, size }: Pick<ManifestSnapshot, 'id' | 'size'>,
): boolean {
  if (!fetched.some((each) => each.id === id)) return false;
  return statSync(join(folder, fileNameOf(id)), { throwIfNoEntry: false })?.size === size;
}

/** Removes the oldest that nobody needs; returns those that are left. `isOrdered`: to be served by order. */
export function removeOld(
  folder: string,
  { fetched, wanted, previous }: SourceMemory,
  isOrdered: (file: string) => boolean,
): readonly FetchedFile[] {
  const isNeeded = ({ id, file }: FetchedFile): boolean =>
    id === wanted?.id || id === previous?.id || isOrdered(file);
  const over = Math.max(0, fetched.length - KEPT_FILES);
  const removed = fetched.filter((each) => !isNeeded(each)).slice(0, over);
  for (const { file } of removed) rmSync(join(folder, file), { force: true });
  return fetched.filter((each) => !removed.includes(each));
}

/** Removes the beginnings of snapshots that are not wanted any more. */
export function removeOtherParts(folder: string, wanted: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (PART.test(name) && path !== wanted) rmSync(path, { force: true });
  }
}
