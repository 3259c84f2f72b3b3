// Keys that were found valid, so that a caller's later requests need neither SHA-256 nor a search of the
// table. Keeps a keyed digest of each key, never its text. The size is fixed at construction.
//
//   set | way 0: four words | way 1: four words |   the set is the digest's first word, modulo the number of sets

import { randomFillSync } from 'node:crypto';
import { sipHash128 } from './siphash.ts';

const WAYS = 2;
const WORDS = 4;
const MAX_SETS = 4096; // 128 KiB of digests
const SETS_PER_KEY = 4; // so that three keys of a small file rarely share a set

export class PresentedKeys<Value> {
  readonly #secret = randomFillSync(new Int32Array(WORDS));
  readonly #digest = new Int32Array(WORDS);
  readonly #digests: Int32Array;
  readonly #values: (Value | undefined)[];
  readonly #mask: number;

  /** Sized for a table of this many keys; of a large one, it keeps the busiest. */
  constructor(keyCount: number) {
    let sets = 64;
    while (sets < MAX_SETS && sets < keyCount * SETS_PER_KEY) sets *= 2;
    this.#mask = sets - 1;
    this.#digests = new Int32Array(sets * WAYS * WORDS);
    this.#values = Array<Value | undefined>(sets * WAYS).fill(undefined);
  }

  /** The value kept for the key, or undefined. */
  find(key: string): Value | undefined {
    if (!sipHash128(key, this.#secret, this.#digest)) return undefined;
    const first = (this.#digest[0] & this.#mask) * WAYS;
    if (this.#isAt(first)) return this.#values[first];
    return this.#isAt(first + 1) ? this.#values[first + 1] : undefined;
  }

  /**
   * Keeps the value, in place of the oldest in its set. Keys with characters beyond one byte are not kept.
   */
  keep(key: string, value: Value): void {
    if (!sipHash128(key, this.#secret, this.#digest)) return;
    const first = (this.#digest[0] & this.#mask) * WAYS;
    this.#digests.copyWithin((first + 1) * WORDS, first * WORDS, (first + 1) * WORDS);
    this.#digests.set(this.#digest, first * WORDS);
    this.#values[first + 1] = this.#values[first];
    this.#values[first] = value;
  }

  /** Whether the current digest is kept there. Takes the same time whichever word differs. */
  #isAt(place: number): boolean {
    const kept = this.#digests;
    const digest = this.#digest;
    const at = place * WORDS;
    let differing = kept[at] ^ digest[0];
    differing |= kept[at + 1] ^ digest[1];
    differing |= kept[at + 2] ^ digest[2];
    differing |= kept[at + 3] ^ digest[3];
    return differing === 0;
  }
}
