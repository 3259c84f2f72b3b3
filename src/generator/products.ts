// The invented products and which of them each advisory is about. A product is never stored: everything about
// it follows from the seed and its number, so a million advisories cost one array of numbers.

import { Dice, mix, type Quantiles } from './dice.ts';
import type { VersionScheme } from './feed-record.ts';
import type { VersionHabits, VersionStyle } from './versions.ts';
import { capitalized, FOREIGN_NAMES, INVENTED, NOUNS } from './words.ts';

export interface InventedProduct extends VersionHabits {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly premiumName: string | undefined;
  /** A few products change scheme between advisories. */
  readonly isUndecided: boolean;
}

const ADVISORIES_PER_PLUGIN: Quantiles = [
  [0, 1],
  [0.56, 1],
  [0.89, 5],
  [0.99, 21],
  [1, 88],
];
const ADVISORIES_PER_PACKAGE: Quantiles = [
  [0, 1],
  [0.62, 1],
  [0.88, 3],
  [0.991, 13],
  [1, 60],
];
// One product of each kind has as many advisories as the record holder in the real feeds, once the feed has
// half their size.
const REAL_ADVISORIES = 25_000;
const MOST_PER_PLUGIN = 87;
const MOST_PER_PACKAGE = 594;
// An absolute number, not a share: however large the feed, there is one WordPress, and lookups of it stay
// realistic.
const MOST_PER_CORE = 400;

const PHP_STYLES: readonly (readonly [share: number, style: VersionStyle])[] = [
  [0.715, 'three'],
  [0.93, 'two'],
  [0.975, 'four'],
  [1, 'odd'],
];

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
  /** The first number after the products of a type. */
  readonly #pluginEnd: number;
  readonly #themeEnd: number;
  readonly #coreEnd: number;
  readonly #seed: number;

  constructor(seed: number, advisories: number) {
    const dice = new Dice(mix(seed, 1));
    const scale = Math.min(1, advisories / REAL_ADVISORIES);
    const packages = Math.round(advisories * 0.15);
    const themes = Math.round(advisories * 0.06);
    const core = Math.min(MOST_PER_CORE, Math.round(advisories * 0.015));
    const plugins = advisories - packages - themes - core;

    const sequence = new Uint32Array(advisories);
    let filled = 0;
    let product = 0;
    const fill = (total: number, most: number, quantiles: Quantiles): number => {
      const end = filled + total;
      let count = Math.max(1, Math.round(most * scale));
      while (filled < end) {
        const next = Math.min(end, filled + count);
        sequence.fill(product++, filled, next);
        filled = next;
        count = Math.floor(dice.draw(quantiles));
      }
      return product;
    };
    this.#seed = seed;
    this.#pluginEnd = fill(plugins, MOST_PER_PLUGIN, ADVISORIES_PER_PLUGIN);
    this.#themeEnd = fill(themes, 1, ADVISORIES_PER_PLUGIN);
    this.#coreEnd = core === 0 ? product : ++product;
    sequence.fill(this.#coreEnd - 1, filled, filled + core);
    filled += core;
    fill(packages, MOST_PER_PACKAGE, ADVISORIES_PER_PACKAGE);

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
    if (number < this.#pluginEnd) return this.#webProduct(dice, 'plugin', number, number);
    if (number < this.#themeEnd) return this.#webProduct(dice, 'theme', number, number - this.#pluginEnd);
    if (number < this.#coreEnd) return core(number + 1);
    return this.#package(dice, number, number - this.#coreEnd);
  }

  #webProduct(dice: Dice, type: 'plugin' | 'theme', number: number, ordinal: number): InventedProduct {
    const [brand, thing, cycle] = this.#nameParts(ordinal);
    const slug = `${dice.chance(0.12) ? 'wp-' : ''}${brand}-${thing}${dice.chance(0.05) ? '-lite' : ''}${cycle}`;
    const first = dice.chance(0.03) ? dice.pick(FOREIGN_NAMES) : capitalized(brand);
    const name = `${first} ${capitalized(thing)}${dice.chance(0.15) ? ` for ${capitalized(dice.pick(NOUNS))}` : ''}`;
    const scheme: VersionScheme = dice.chance(0.02) ? 'decimal' : 'wordpress';
    const share = dice.fraction();
    const style = PHP_STYLES.find(([end]) => share < end)?.[1] ?? 'three';
    return {
      id: number + 1,
      type,
      slug,
      name,
      premiumName: type === 'plugin' && dice.chance(0.04) ? `${name} Pro` : undefined,
      scheme,
      isUndecided: dice.chance(0.003),
      style: scheme === 'decimal' ? 'two' : style,
      lastMajor: Math.floor(dice.draw(LAST_MAJORS)),
    };
  }

  #package(dice: Dice, number: number, ordinal: number): InventedProduct {
    const [brand, thing, cycle] = this.#nameParts(ordinal);
    const scope = dice.chance(0.2) ? `@${dice.pickEarly(INVENTED)}/` : '';
    const slug = `${scope}${brand}${dice.pick(['-', '-', '.', '_'])}${thing}${cycle}`;
    return {
      id: number + 1,
      type: 'npm',
      slug,
      name: slug,
      premiumName: undefined,
      scheme: 'semver',
      isUndecided: false,
      style: dice.chance(0.03) ? 'odd' : 'three',
      lastMajor: Math.floor(dice.draw(LAST_MAJORS)),
    };
  }

  /** Unique for every ordinal of a type: pairs of words, plus a number when all pairs are used up. */
  #nameParts(ordinal: number): [brand: string, thing: string, cycle: string] {
    const cycle = Math.floor(ordinal / NAME_COUNT);
    const pair = ((ordinal % NAME_COUNT) * NAME_STRIDE + mix(this.#seed, 3)) % NAME_COUNT;
    const brand = INVENTED[pair % INVENTED.length];
    return [brand, NOUNS[Math.floor(pair / INVENTED.length)], cycle === 0 ? '' : `-${cycle + 1}`];
  }
}

function core(id: number): InventedProduct {
  return {
    id,
    type: 'wordpress',
    slug: 'wordpress',
    name: 'WordPress',
    premiumName: undefined,
    scheme: 'wordpress',
    isUndecided: false,
    style: 'three',
    lastMajor: 6,
  };
}
