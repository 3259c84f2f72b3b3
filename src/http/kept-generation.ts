// The generations that a process holds, and what is known of the differences between them. Which are kept,
// and for how long, is decided where they are published.

import type { Generation } from '../index/generation.ts';

/**
 * For each platform, in the order of PLATFORMS: the ids that differ between two generations and that at least
 * one of them publishes there, descending. In shared memory.
 */
export type ChangedIds = readonly Float64Array[];

/**
 * One of a list that begins with the live generation; each other one was live before
 * those ahead of it in the list.
 */
export interface KeptGeneration<Held = Generation> {
  readonly generation: Held;
  /** What differs from the next one in the list; undefined for the last, and until it is computed. */
  readonly changedIds: ChangedIds | undefined;
}
