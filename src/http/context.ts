// What every handler receives: one generation, read once, the memory of its thread, and the time.

import type { Generation } from '../index/generation.ts';
import type { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { KeptGeneration } from './kept-generation.ts';
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
