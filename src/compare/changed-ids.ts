// The ids that differ between two generations, by platform, as memory that threads share: enough to say later
// what became of each, because both generations can be asked.

import { WITHDRAWN_RUN } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { runAt } from '../index/lookup/id-list.ts';
import { PLATFORMS } from '../index/product-type.ts';
import { compareGenerations } from './differences.ts';

/** For each platform: the differing ids that either generation publishes there, descending. */
export function findChangedIds(previous: Generation, next: Generation): Float64Array[] {
  const found: number[][] = PLATFORMS.map(() => []);
  const runOfPrevious = platformFinder(previous);
  const runOfNext = platformFinder(next);
  for (const difference of compareGenerations(previous, next)) {
    const from = 'previous' in difference ? runOfPrevious(difference.previous) : undefined;
    const to = 'next' in difference ? runOfNext(difference.next) : undefined;
    if (from !== undefined) found[from].push(difference.id);
    if (to !== undefined && to !== from) found[to].push(difference.id);
  }
  return found.map(toShared);
}

/**
 * The platform, as an index, for which a generation publishes an ordinal; undefined for withdrawn advisories.
 */
function platformFinder({ parts }: Generation): (ordinal: number) => number | undefined {
  const ends = PLATFORMS.map((_, platform) => runAt(parts.columns, platform).end);
  const { start: published } = runAt(parts.columns, WITHDRAWN_RUN);
  return (ordinal) => (ordinal < published ? ends.findIndex((end) => ordinal < end) : undefined);
}

function toShared(ids: readonly number[]): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(ids.length * Float64Array.BYTES_PER_ELEMENT));
  shared.set(ids);
  return shared;
}
