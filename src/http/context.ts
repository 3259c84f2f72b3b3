// What every handler receives: one generation, read once, the memory of its thread, and the time; and what is
// known of the other generations that the process holds.

import type { Generation } from '../index/generation.ts';
import type { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { PreparedFiles } from './replies/prepared-files.ts';
import type { OwnAddress } from './transport/own-address.ts';

export interface HandlerContext {
  /** The live one, or the one that the request names. */
  readonly generation: Generation;
  /** All that the process holds, the live one first. */
  readonly kept: readonly KeptGeneration[];
  /** Holds only what comes from `generation`. */
  readonly memory: ThreadMemory;
  /**
   * Files of this generation, or of the previous one until these are ready; undefined while there are none.
   */
  readonly prepared: PreparedFiles | undefined;
  /** For documents that must name themselves. */
  readonly own: OwnAddress;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly latestAnchor: 'clock' | 'snapshot';
}

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
