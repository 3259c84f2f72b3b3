// What one thread holds for the generations that it answers from: the list of those that a request may name,
// and the memories in which answers are built.

import type { Generation } from '../index/generation.ts';
import { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { KeptGeneration } from './context.ts';

export class HeldGenerations {
  readonly #kept: (() => readonly KeptGeneration[]) | undefined;
  readonly #memory = new ThreadMemory();
  /**
   * For requests that name another generation than the live one: one memory, so
   * that the live one's stays warm.
   */
  #pinnedMemory: ThreadMemory | undefined;
  /** For works, between whose steps other requests are answered. One at a time uses it. */
  #workMemory: ThreadMemory | undefined;
  #isWorking = false;
  /** The list if no other generation than the live one is kept. */
  #alone: readonly KeptGeneration[] = [];

  /** `kept` is the list, the live generation first; undefined for the live one alone. */
  constructor(kept: (() => readonly KeptGeneration[]) | undefined) {
    this.#kept = kept;
  }

  /** Size of the buffers in which answers are assembled. */
  get bufferBytes(): number {
    const further = (this.#pinnedMemory?.out.capacity ?? 0) + (this.#workMemory?.out.capacity ?? 0);
    return this.#memory.out.capacity + further;
  }

  /** Releases memory that large answers needed. Requires: every reply was sent or copied. */
  shrink(): void {
    this.#memory.out.shrink();
    this.#pinnedMemory?.out.shrink();
    if (!this.#isWorking) this.#workMemory?.out.shrink();
  }

  /** Makes it the live one. Releases generations that are no longer held. */
  adopt(live: Generation): void {
    if (this.#memory.isOf(live)) return;
    this.#memory.reset(live);
    this.#pinnedMemory = undefined; // what it is of may no longer be held
    this.#workMemory = undefined; // work in progress keeps its own reference
    this.#alone = [];
  }

  /** Those that a request may name, the live one first. */
  list(live: Generation): readonly KeptGeneration[] {
    if (this.#kept !== undefined) return this.#kept();
    if (this.#alone[0]?.generation !== live) this.#alone = [{ generation: live, changedIds: undefined }];
    return this.#alone;
  }

  /** The memory for a request that is answered at once. Requires: `live` was adopted. */
  memoryOf(generation: Generation, live: Generation): ThreadMemory {
    if (generation === live) return this.#memory;
    this.#pinnedMemory ??= new ThreadMemory();
    if (!this.#pinnedMemory.isOf(generation)) this.#pinnedMemory.reset(generation);
    return this.#pinnedMemory;
  }

  /** The memory for a work, until `endWork`. */
  beginWork(generation: Generation): ThreadMemory {
    this.#isWorking = true;
    if (this.#workMemory?.isOf(generation) !== true) this.#workMemory = new ThreadMemory(generation);
    return this.#workMemory;
  }

  /** Nothing may keep a generation in memory that is no longer live. */
  endWork(generation: Generation, live: Generation | undefined): void {
    this.#isWorking = false;
    if (generation !== live) this.#workMemory = undefined;
  }
}
