// Where each number (an id, a PSID) was first used: a hash table in two typed arrays, a third of the size of
// a Map.

const FIRST_SLOTS = 1 << 16; // a power of two
const EMPTY = 0;
const HIGH_HALF = 2 ** 32;

export class FirstUses {
  /** The number plus one, or EMPTY. */
  #keys = new Float64Array(FIRST_SLOTS);
  #places = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /** The place where the number was first used, or undefined. Requires: a whole number, 0 or more. */
  find(number: number): number | undefined {
    const slot = this.#slotOf(number + 1);
    return this.#keys[slot] === EMPTY ? undefined : this.#places[slot];
  }

  /** Requires: the number was not used before. */
  add(number: number, place: number): void {
    if (2 * this.#count >= this.#keys.length) this.#grow();
    this.#count++;
    this.#put(number + 1, place);
  }

  #put(key: number, place: number): void {
    const slot = this.#slotOf(key);
    this.#keys[slot] = key;
    this.#places[slot] = place;
  }

  /** The slot that has the key, or the empty one where it belongs. */
  #slotOf(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let hash = Math.imul((key >>> 0) ^ Math.imul(Math.floor(key / HIGH_HALF), 0x85ebca6b), 0x9e3779b1);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    while (keys[slot] !== EMPTY && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const places = this.#places;
    this.#keys = new Float64Array(keys.length * 2);
    this.#places = new Float64Array(keys.length * 2);
    keys.forEach((key, slot) => {
      if (key !== EMPTY) this.#put(key, places[slot]);
    });
  }
}
