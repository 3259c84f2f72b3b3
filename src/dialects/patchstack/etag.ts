// The entity tags of this dialect's answers: of the snapshot, and of the window of /latest.

import { snapshotTags } from '../../http/replies/etag.ts';
import type { Generation } from '../../index/generation.ts';

/** Raised whenever answers from the same snapshot change their bytes. */
export const RESPONSE_REVISION = 2;

export const etagOf = snapshotTags(RESPONSE_REVISION);

/**
 * Raised whenever an explanation from the same snapshot changes its bytes: an addition that leaves other
 * answers alone.
 */
const EXPLANATION_REVISION = 4;

export const explanationEtagOf = snapshotTags(EXPLANATION_REVISION);

/** The tag of /latest, which also changes with its window. */
export function windowEtagOf(generation: Generation, state: { start: number; end: number }): string {
  return `"${generation.id}.${RESPONSE_REVISION}.${state.start}-${state.end}"`;
}
