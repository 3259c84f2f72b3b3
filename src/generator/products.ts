// The invented products and which of them each advisory is about. A product is never stored: everything about
// it follows from the seed and its number, so a million advisories cost one array of numbers.

import { Dice, mix, type Quantiles } from './dice.ts';
import { KINDS, type Kind } from './kinds.ts';
import type { NameWords, ProductNames } from './product-names.ts';
import { two } from './version-styles.ts';
import type { VersionHabits } from './versions.ts';
import { INVENTED, NOUNS } from './words.ts';

export interface InventedProduct extends VersionHabits, ProductNames {
  readonly id: number;
  readonly kind: Kind;
  /** A few products change scheme between advisories. */
  readonly isUndecided: boolean;
}

// The size of the real feeds. From half of it on, one product of a kind has as many advisories as the record
// holder there.
const REAL_ADVISORIES = 25_000;

const LAST_MAJORS: Quantiles = [
  [0, 1],
  [0.6, 3],
  [0.95, 9],
  [1, 24],
];

const NAME_COUNT = INVENTED.length * NOUNS.length;
// A prime, so it shares no factor with NAME_COUNT and every name comes once per cycle.
const NAME_STRIDE = 199_999;

export class Catalog {
  /** The product of each advisory, in the order of the feed. */
  readonly #sequence: Uint32Array;
  /** The first number after the products of each kind. */
  readonly #ends: readonly number[];
  readonly #seed: number;

  constructor(seed: number, advisories: number) {
    const dice = new Dice(mix(seed, 1));
    const scale = Math.min(1, advisories / REAL_ADVISORIES);
    const sequence = new Uint32Array(advisories);
    let filled = 0;
    let product = 0;
    this.#ends = advisoriesOfKinds(advisories).map((total, at) => {
      const { mostPerProduct, advisoriesPerProduct } = KINDS[at];
      const end = filled + total;
      let count = Math.max(1, Math.round(mostPerProduct * scale));
      while (filled < end) {
        const next = Math.min(end, filled + count);
        sequence.fill(product++, filled, next);
        filled = next;
        count = Math.floor(dice.draw(advisoriesPerProduct));
      }
      return product;
    });
    this.#seed = seed;

    for (let at = advisories - 1; at > 0; at--) {
      const other = dice.whole(0, at);
      const held = sequence[at];
      sequence[at] = sequence[other];
      sequence[other] = held;
    }
    this.#sequence = sequence;
  }

  /** The product of the advisory at this index of the feed. */
  productAt(place: number): InventedProduct {
    const number = this.#sequence[place];
    const dice = new Dice(mix(this.#seed, 2, number));
    const at = this.#ends.findIndex((end) => number < end);
    const kind = KINDS[at];
    const lastMajor = Math.floor(dice.draw(LAST_MAJORS));
    const words = this.#words(number - (this.#ends[at - 1] ?? 0), lastMajor);
    const isDecimal = dice.chance(kind.decimal);
    const share = dice.fraction();
    const [, style] = kind.styles.find(([upTo]) => share < upTo) ?? kind.styles[0];
    return {
      id: number + 1,
      kind,
      ...kind.namesOf(dice, words),
      scheme: isDecimal ? 'decimal' : kind.scheme,
      isUndecided: dice.chance(kind.undecided),
      style: isDecimal ? two : style,
      lastMajor,
    };
  }

  /** Unique for every ordinal of a kind. */
  #words(ordinal: number, lastMajor: number): NameWords {
    const cycle = Math.floor(ordinal / NAME_COUNT);
    const pair = ((ordinal % NAME_COUNT) * NAME_STRIDE + mix(this.#seed, 3)) % NAME_COUNT;
    return {
      brand: INVENTED[pair % INVENTED.length],
      thing: NOUNS[Math.floor(pair / INVENTED.length)],
      cycle: cycle === 0 ? '' : `-${cycle + 1}`,
      lastMajor,
    };
  }
}

/** How many advisories each kind has, in the order of the table. */
function advisoriesOfKinds(advisories: number): readonly number[] {
  const others = KINDS.slice(1).map(({ share, mostAdvisories }) =>
    Math.min(mostAdvisories, Math.round(advisories * share)),
  );
  return [others.reduce((left, count) => left - count, advisories), ...others];
}
