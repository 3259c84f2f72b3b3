// The result of a lookup: advisories by descending id, each with the one span reported for it. One object is
// reused for all lookups, so a hit costs two stores and no allocation.

// A sort key is advisory * 2^27 + sequence: 53 bits, which a double holds exactly. That is enough: the
// columns of a snapshot have at most 2^31 bytes together, an interval takes 20 of them and an advisory 58
// (docs/snapshot-format.md section 4).
const SEQUENCE_RANGE = 2 ** 27;
const INSERTION_SORT_LIMIT = 24; // up to here an insertion sort beats calling the typed array's sort

export class Matches {
  #count = 0;
  #orderKeys = new Float64Array(64);
  #spans = new Uint32Array(64);

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  /**
   * Requires: ordinals below 2^26, at most 2^27 hits; hits of one advisory arrive in interval order, because
   * the last one is kept.
   */
  add(advisory: number, span: number): void {
    const sequence = this.#count;
    if (sequence === this.#spans.length) this.#grow();
    this.#orderKeys[sequence] = advisory * SEQUENCE_RANGE + sequence;
    this.#spans[sequence] = span;
    this.#count = sequence + 1;
  }

  /** Sorts by ordinal, which is descending id, and keeps the last-added span of each advisory. */
  settle(): void {
    if (this.#count < 2) return;
    const keys = this.#orderKeys;
    this.#sort();
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      const advisory = this.advisoryAt(i);
      if (i + 1 < this.#count && this.advisoryAt(i + 1) === advisory) continue;
      keys[kept++] = keys[i];
    }
    this.#count = kept;
  }

  /** Ordinal of match `i`. */
  advisoryAt(i: number): number {
    return Math.floor(this.#orderKeys[i] / SEQUENCE_RANGE);
  }

  /** Span of match `i`: the containing one with the greatest lower bound, then the least upper bound. */
  spanAt(i: number): number {
    return this.#spans[this.#orderKeys[i] % SEQUENCE_RANGE];
  }

  #sort(): void {
    const keys = this.#orderKeys;
    if (this.#count > INSERTION_SORT_LIMIT) {
      keys.subarray(0, this.#count).sort();
      return;
    }
    for (let i = 1; i < this.#count; i++) {
      const key = keys[i];
      let at = i;
      while (at > 0 && keys[at - 1] > key) {
        keys[at] = keys[at - 1];
        at--;
      }
      keys[at] = key;
    }
  }

  #grow(): void {
    const keys = new Float64Array(this.#orderKeys.length * 2);
    keys.set(this.#orderKeys);
    this.#orderKeys = keys;
    const spans = new Uint32Array(this.#spans.length * 2);
    spans.set(this.#spans);
    this.#spans = spans;
  }
}
