// The entity tags of answers and files: a snapshot's id, and a revision that is raised whenever answers of a
// dialect from the same snapshot change their bytes. Additions that leave other answers alone have their own.

import { snapshotTags } from '../http/replies/etag.ts';
import type { Generation } from '../index/generation.ts';

export const REVISIONS = {
  patchstack: 2,
  explanation: 4,
  statistics: 2,
  patchstackFlat: 1,
  npmAudit: 2,
  osv: 2,
  wordfence: 1,
  wpscan: 1,
  govulndb: 1,
  ossIndex: 1,
  composer: 1,
  nuget: 1,
} as const;

type Tags = { readonly [answers in keyof typeof REVISIONS]: (generation: Generation) => string };

// One for each revision.
export const etags = Object.fromEntries(
  Object.entries(REVISIONS).map(([answers, revision]) => [answers, snapshotTags(revision)]),
) as unknown as Tags;

/** The tag of /latest, which also changes with its window. */
export function windowEtag({ id }: Generation, { start, end }: { start: number; end: number }): string {
  return `"${id}.${REVISIONS.patchstack}.${start}-${end}"`;
}
