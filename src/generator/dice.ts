// Reproducible chance: a small generator of 32-bit numbers and the draws made from it. Nothing here knows
// what is being drawn. Not for secrets.

/** Points of a distribution: the share of draws (0 to 1) at or below a value, both ascending. */
export type Quantiles = readonly (readonly [share: number, value: number])[];

/** One 32-bit number from several, each changing all of its bits. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x51ed270b;
  for (const part of parts) {
    hash = scramble(hash ^ part);
    hash = scramble(hash ^ Math.floor(part / 2 ** 32)); // a seed may be wider than 32 bits
  }
  return hash >>> 0;
}

// Shifts and odd multipliers, each step reversible, so no two inputs share an output.
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = mix(seed);
  }

  /** In [0, 1), in steps of 2^-32. */
  fraction(): number {
    // An odd step visits every 32-bit state before one repeats: 4e9 draws, some hundred per advisory.
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return (scramble(this.#state) >>> 0) / 2 ** 32;
  }

  /** A whole number from min to max, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.fraction() * list.length)];
  }

  /** An entry of the list: entry i comes about 1 / (i + 1) as often as the first. */
  pickEarly<T>(list: readonly T[]): T {
    return list[Math.floor((list.length + 1) ** this.fraction()) - 1];
  }

  /** A value from the distribution, log-uniform between two points, as in long tails. */
  draw(quantiles: Quantiles): number {
    const share = this.fraction();
    let at = 1;
    while (at < quantiles.length - 1 && quantiles[at][0] <= share) at++;
    const [lowShare, low] = quantiles[at - 1];
    const [highShare, high] = quantiles[at];
    return low * (high / low) ** ((share - lowShare) / (highShare - lowShare));
  }
}
