// What products are called: the name that people write, which for a package is also its slug.

import type { Dice } from './dice.ts';
import { capitalized, FOREIGN_NAMES, INVENTED, NOUNS } from './words.ts';

/** Two words, and a number if all pairs of them are used up: different for each product of a kind. */
export interface NameWords {
  readonly brand: string;
  readonly thing: string;
  readonly cycle: string;
  readonly lastMajor: number;
}

export interface ProductNames {
  readonly slug: string;
  readonly name: string;
  readonly premiumName?: string;
}

export type Naming = (dice: Dice, words: NameWords) => ProductNames;

/** A title, and what a directory makes of it. */
export const themeNames: Naming = (dice, { brand, thing, cycle }) => {
  const slug = `${dice.chance(0.12) ? 'wp-' : ''}${brand}-${thing}${dice.chance(0.05) ? '-lite' : ''}${cycle}`;
  const first = dice.chance(0.03) ? dice.pick(FOREIGN_NAMES) : capitalized(brand);
  const name = `${first} ${capitalized(thing)}${dice.chance(0.15) ? ` for ${capitalized(dice.pick(NOUNS))}` : ''}`;
  return { slug, name };
};

export const pluginNames: Naming = (dice, words) => {
  const names = themeNames(dice, words);
  return dice.chance(0.04) ? { ...names, premiumName: `${names.name} Pro` } : names;
};

export const coreNames: Naming = () => ({ slug: 'wordpress', name: 'WordPress' });

function packageNames(nameOf: (dice: Dice, words: NameWords) => string): Naming {
  return (dice, words) => {
    const name = nameOf(dice, words);
    return { slug: name, name };
  };
}

function joined({ brand, thing, cycle }: NameWords, separator: string): string {
  return `${brand}${separator}${thing}${cycle}`;
}

function sometimesCapitalized(dice: Dice, word: string): string {
  return dice.chance(0.15) ? capitalized(word) : word;
}

export const npmNames = packageNames((dice, words) => {
  const scope = dice.chance(0.2) ? `@${dice.pickEarly(INVENTED)}/` : '';
  return `${scope}${joined(words, dice.pick(['-', '-', '.', '_']))}`;
});

export const composerNames = packageNames(
  (dice, words) => `${sometimesCapitalized(dice, dice.pickEarly(INVENTED))}/${joined(words, '-')}`,
);

export const pypiNames = packageNames((dice, words) => {
  const name = joined(words, dice.pick(['-', '-', '_', '.']));
  return `${dice.pick(['', '', '', 'Django-'])}${sometimesCapitalized(dice, name)}`;
});

/** A path from the second major version on ends in it. */
export const golangNames = packageNames((dice, words) => {
  const host = dice.pick(['github.com', 'github.com', 'github.com', 'gitlab.com']);
  const owner = sometimesCapitalized(dice, dice.pickEarly(INVENTED));
  return `${host}/${owner}/${joined(words, '-')}${words.lastMajor >= 2 ? `/v${words.lastMajor}` : ''}`;
});

export const gemNames = packageNames((dice, words) => joined(words, dice.pick(['-', '_'])));

export const cargoNames = packageNames(
  (dice, words) => `${joined(words, dice.pick(['-', '_']))}${dice.pick(['', '', '-rs'])}`,
);

export const mavenNames = packageNames(
  (dice, words) => `${dice.pick(['org', 'com', 'io'])}.${words.brand}:${joined(words, '-')}`,
);

export const nugetNames = packageNames(
  (dice, { brand, thing, cycle }) =>
    `${capitalized(brand)}.${capitalized(thing)}${dice.pick(['', '', '.Core'])}${cycle}`,
);
