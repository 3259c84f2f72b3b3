// Which products are looked up: a sample of look-ups, from each worker to the supervisor through a ring in
// shared memory. Owns the layout; hottest.ts counts.
//
//   worker | Int32: one of so many look-ups is taken | Int32: entries written | entries: row, generation, weight |
//
// A ring has one writer. The supervisor sets how many are taken, and reads what is new once a second; what
// was overwritten before that is lost, and counted as if it were like the rest.

import type { LookupTap } from '../../../index/generation.ts';

const ENTRIES = 512;
const ENTRY_INTS = 3;
const EVERY = 0;
const WRITTEN = 1;
const ENTRIES_AT = 2;
/** With a gap, so that two workers do not write to the same cache line. */
const STRIDE = ENTRIES_AT + ENTRIES * ENTRY_INTS + 16;
const MOST_EVERY = 65_536;

export interface Lookup {
  /** In the columns of its generation. */
  readonly product: number;
  /** From `generationTag`. */
  readonly tag: number;
  /** How many look-ups it stands for. */
  readonly weight: number;
}

export function allocateLookups(workerCount: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(workerCount * STRIDE * Int32Array.BYTES_PER_ELEMENT);
  const ints = new Int32Array(memory);
  for (let worker = 0; worker < workerCount; worker++) ints[worker * STRIDE + EVERY] = 1;
  return memory;
}

/** A snapshot's id as a number, which differs for the few that a process holds. */
export function generationTag(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) | 0;
}

/** The writing side: of one worker and one generation. */
export class LookupSampler implements LookupTap {
  readonly #ints: Int32Array;
  readonly #tag: number;
  #left = 1;

  constructor(memory: SharedArrayBuffer, worker: number, snapshot: string) {
    this.#ints = ringOf(memory, worker);
    this.#tag = generationTag(snapshot);
  }

  lookedUp(product: number): void {
    if (--this.#left > 0) return;
    const ints = this.#ints;
    const every = Atomics.load(ints, EVERY);
    const written = ints[WRITTEN];
    const at = ENTRIES_AT + ((written >>> 0) % ENTRIES) * ENTRY_INTS;
    ints[at] = product;
    ints[at + 1] = this.#tag;
    ints[at + 2] = every;
    Atomics.store(ints, WRITTEN, written + 1); // wraps around, which the reader's difference outlives
    this.#left = every;
  }
}

/** The reading side of all workers. */
export class LookupRings {
  readonly #rings: readonly Int32Array[];
  readonly #seen: Int32Array;
  readonly #target: number;

  /** `perSecond` is how many entries in all are wanted. */
  constructor(memory: SharedArrayBuffer, perSecond: number) {
    const count = memory.byteLength / Int32Array.BYTES_PER_ELEMENT / STRIDE;
    this.#rings = Array.from({ length: count }, (_, worker) => ringOf(memory, worker));
    this.#seen = new Int32Array(count);
    this.#target = Math.max(1, Math.floor(perSecond / count));
  }

  /** What is new since the last call; requires about one a second. */
  take(): readonly Lookup[] {
    return this.#rings.flatMap((ints, worker) => this.#takeOf(ints, worker));
  }

  #takeOf(ints: Int32Array, worker: number): readonly Lookup[] {
    const written = Atomics.load(ints, WRITTEN);
    const fresh = (written - this.#seen[worker]) >>> 0;
    this.#seen[worker] = written;
    const count = Math.min(fresh, ENTRIES);
    const every = Atomics.load(ints, EVERY);
    const next = nextEvery(every, fresh, this.#target);
    if (next !== every) Atomics.store(ints, EVERY, next);
    return Array.from({ length: count }, (_, i) => {
      const at = ENTRIES_AT + (((written - count + i) >>> 0) % ENTRIES) * ENTRY_INTS;
      return { product: ints[at], tag: ints[at + 1], weight: (ints[at + 2] * fresh) / count };
    });
  }
}

/** Twice as many as long as there is too much, half as many when there is much too little. */
function nextEvery(every: number, fresh: number, target: number): number {
  let next = every;
  for (let count = fresh; count > target && next < MOST_EVERY; count /= 2) next *= 2;
  return next === every && next > 1 && fresh < target / 4 ? next / 2 : next;
}

function ringOf(memory: SharedArrayBuffer, worker: number): Int32Array {
  return new Int32Array(memory, worker * STRIDE * Int32Array.BYTES_PER_ELEMENT, STRIDE);
}
