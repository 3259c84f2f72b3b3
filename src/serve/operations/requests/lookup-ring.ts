// Which products are looked up, at which versions: a sample of look-ups from each worker, through a ring in
// shared memory. Owns the layout; hottest.ts counts.
//
//   worker | Int32: one of so many look-ups is taken | Int32: entries written | entries |
//   entry  | row | generation | weight | caller | characters of the version | version: a byte each |
//
// A ring has one writer. The supervisor sets how many are taken, and whoever reads takes what is new once a
// second; what was overwritten before that is lost, and counted as if it were like the rest. An entry that is
// overwritten while it is read is a mixture of both.

import type { LookupTap } from '../../../index/generation.ts';

const ENTRIES = 512;
/** Of a longer version, or one with other characters than ASCII, only the product is taken. */
const MOST_CHARACTERS = 64;
const CALLER_AT = 3;
const LENGTH_AT = 4;
const VERSION_AT = 5;
/** As a caller. */
const WITHOUT_KEY = -1;
const ENTRY_INTS = VERSION_AT + MOST_CHARACTERS / Int32Array.BYTES_PER_ELEMENT;
const EVERY = 0;
const WRITTEN = 1;
const ENTRIES_AT = 2;
/** With a gap, so that two workers do not write to the same cache line. */
const STRIDE = ENTRIES_AT + ENTRIES * ENTRY_INTS + 16;
const MOST_EVERY = 65_536;
const MAX_ASCII = 0x7f;

export interface Lookup {
  /** In the columns of its generation. */
  readonly product: number;
  /** Undefined if it was not taken. */
  readonly version: string | undefined;
  /** From `generationTag`. */
  readonly tag: number;
  /** The row of the key that asked; undefined for callers without one. */
  readonly caller: number | undefined;
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
  readonly #bytes: Uint8Array;
  readonly #tag: number;
  readonly #asking: { readonly slot: number | undefined };
  #left = 1;

  /** `asking` has the row of the key that asks now; undefined for callers without one. */
  constructor(
    memory: SharedArrayBuffer,
    worker: number,
    snapshot: string,
    asking: { readonly slot: number | undefined },
  ) {
    this.#ints = ringOf(memory, worker);
    this.#bytes = bytesOf(this.#ints);
    this.#tag = generationTag(snapshot);
    this.#asking = asking;
  }

  lookedUp(product: number, version?: string): void {
    if (--this.#left > 0) return;
    const ints = this.#ints;
    const every = Atomics.load(ints, EVERY);
    const written = ints[WRITTEN];
    const at = ENTRIES_AT + ((written >>> 0) % ENTRIES) * ENTRY_INTS;
    ints[at] = product;
    ints[at + 1] = this.#tag;
    ints[at + 2] = every;
    ints[at + CALLER_AT] = this.#asking.slot ?? WITHOUT_KEY;
    ints[at + LENGTH_AT] = version === undefined ? 0 : this.#write(version, (at + VERSION_AT) * 4);
    Atomics.store(ints, WRITTEN, written + 1); // wraps around, which the reader's difference outlives
    this.#left = every;
  }

  /** The number of characters, 0 for a version that is not taken. */
  #write(version: string, at: number): number {
    const { length } = version;
    if (length > MOST_CHARACTERS) return 0;
    for (let i = 0; i < length; i++) {
      const unit = version.charCodeAt(i);
      if (unit > MAX_ASCII) return 0;
      this.#bytes[at + i] = unit;
    }
    return length;
  }
}

/** The reading side of all workers. */
export class LookupRings {
  readonly #rings: readonly Int32Array[];
  readonly #seen: Int32Array;
  /** Of each worker. */
  readonly #target: number | undefined;

  /**
   * `perSecond` is how many entries in all are wanted; a second reader leaves it out and takes what there is.
   */
  constructor(memory: SharedArrayBuffer, perSecond?: number) {
    const count = memory.byteLength / Int32Array.BYTES_PER_ELEMENT / STRIDE;
    this.#rings = Array.from({ length: count }, (_, worker) => ringOf(memory, worker));
    this.#seen = new Int32Array(count);
    this.#target = perSecond === undefined ? undefined : Math.max(1, Math.floor(perSecond / count));
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
    if (this.#target !== undefined) {
      const next = nextEvery(every, fresh, this.#target);
      if (next !== every) Atomics.store(ints, EVERY, next);
    }
    return Array.from({ length: count }, (_, i) => {
      const at = ENTRIES_AT + (((written - count + i) >>> 0) % ENTRIES) * ENTRY_INTS;
      const weight = (ints[at + 2] * fresh) / count;
      const caller = ints[at + CALLER_AT];
      return {
        product: ints[at],
        tag: ints[at + 1],
        caller: caller === WITHOUT_KEY ? undefined : caller,
        weight,
        version: versionAt(ints, at),
      };
    });
  }
}

/** Twice as many as long as there is too much, half as many when there is much too little. */
function nextEvery(every: number, fresh: number, target: number): number {
  let next = every;
  for (let count = fresh; count > target && next < MOST_EVERY; count /= 2) next *= 2;
  return next === every && next > 1 && fresh < target / 4 ? next / 2 : next;
}

function versionAt(ints: Int32Array, entry: number): string | undefined {
  const length = Math.min(ints[entry + LENGTH_AT], MOST_CHARACTERS);
  if (length <= 0) return undefined;
  const start = (entry + VERSION_AT) * Int32Array.BYTES_PER_ELEMENT;
  return String.fromCharCode(...bytesOf(ints).subarray(start, start + length));
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function ringOf(memory: SharedArrayBuffer, worker: number): Int32Array {
  return new Int32Array(memory, worker * STRIDE * Int32Array.BYTES_PER_ELEMENT, STRIDE);
}
