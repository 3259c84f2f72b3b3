// What every handler receives: one generation, read once, the memory of its thread, and the time.

import type { Generation } from '../index/generation.ts';
import type { ThreadMemory } from '../index/memory/thread-memory.ts';

export interface HandlerContext {
  readonly generation: Generation;
  /** Holds only what comes from `generation`. */
  readonly memory: ThreadMemory;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly latestAnchor: 'clock' | 'snapshot';
}
