// Drafts that repeat another: the same source published the same id for the same product twice. Equal ones
// are skipped; of different ones the record that was changed last is kept, and of those changed at the same
// time the one whose text sorts first, so that the order in which they are read does not decide.

import { isDeepStrictEqual } from 'node:util';
import type { StoredDraft } from '../packed-draft.ts';
import { parseSeconds } from '../record/instant.ts';

interface RepeatableDrafts {
  readonly length: number;
  sourceAt(draft: number): number;
  productAt(draft: number): number;
  sourceIdAt(draft: number): number;
  read(draft: number): StoredDraft;
}

export interface Repeat {
  /** The one that is kept. */
  readonly kept: number;
  readonly isEqual: boolean;
}

/** The drafts to leave out. */
export function findRepeats(drafts: RepeatableDrafts): Map<number, Repeat> {
  const repeats = new Map<number, Repeat>();
  const order = Uint32Array.from({ length: drafts.length }, (_, draft) => draft).sort(
    (a, b) => compareKeys(drafts, a, b) || a - b,
  );
  let kept = order[0];
  for (const draft of order.subarray(1)) {
    if (compareKeys(drafts, kept, draft) !== 0) {
      kept = draft;
      continue;
    }
    const [before, after] = [drafts.read(kept), drafts.read(draft)];
    const isEqual = isDeepStrictEqual(before.record, after.record);
    const isBetter = !isEqual && isPreferred(after, before);
    const omitted = isBetter ? kept : draft;
    if (isBetter) kept = draft;
    repeats.set(omitted, { kept, isEqual });
  }
  return repeats;
}

function compareKeys(drafts: RepeatableDrafts, a: number, b: number): number {
  return (
    drafts.productAt(a) - drafts.productAt(b) ||
    drafts.sourceIdAt(a) - drafts.sourceIdAt(b) ||
    drafts.sourceAt(a) - drafts.sourceAt(b)
  );
}

function isPreferred(one: StoredDraft, other: StoredDraft): boolean {
  const [at, otherAt] = [modifiedAt(one), modifiedAt(other)];
  return at === otherAt ? JSON.stringify(one.record) < JSON.stringify(other.record) : at > otherAt;
}

/** A record without a time counts as older than any other. */
function modifiedAt({ record }: StoredDraft): number {
  return parseSeconds(record.modified_at ?? '') ?? Number.NEGATIVE_INFINITY;
}
