// Sentences of invented advisories: descriptions, markdown bodies, names of people. Grammatical enough to
// look like text, random enough to compress like text.

import type { Dice, Quantiles } from './dice.ts';
import type { FeedPerson } from './feed-record.ts';
import { ADJECTIVES, ADVERBS, capitalized, INVENTED, NOUNS, ROLES, VERBS } from './words.ts';

const DESCRIPTION_LENGTHS: Quantiles = [
  [0, 90],
  [0.25, 270],
  [0.5, 408],
  [0.9, 980],
  [1, 2530],
];
const MAX_DESCRIPTION_LENGTH = 2530;

const SENTENCES: readonly ((dice: Dice) => string)[] = [
  (dice) => `The ${thing(dice)} ${dice.pick(ADVERBS)} ${dice.pick(VERBS)}s the ${thing(dice)}.`,
  (dice) =>
    `When ${aThing(dice)} is ${dice.pick(VERBS)}ed, the ${dice.pick(NOUNS)} ${dice.pick(VERBS)}s ${aThing(dice)}.`,
  (dice) =>
    `This lets ${dice.pick(ROLES)} ${dice.pick(VERBS)} the ${thing(dice)} of another ${dice.pick(NOUNS)}.`,
  (dice) =>
    `No ${dice.pick(NOUNS)} ${dice.pick(VERBS)}s the ${dice.pick(NOUNS)} before the ${thing(dice)} is ${dice.pick(VERBS)}ed.`,
  (dice) =>
    `Only sites whose ${thing(dice)} is ${dice.pick(ADJECTIVES)} are concerned; the ${dice.pick(NOUNS)} must be ${dice.pick(VERBS)}ed.`,
  (dice) =>
    `The parameter \`${dice.pick(NOUNS)}_${dice.pick(NOUNS)}\` is ${dice.pick(ADVERBS)} ${dice.pick(VERBS)}ed by ${dice.pick(ROLES)}.`,
  (dice) =>
    `Both the ${thing(dice)} and ${aThing(dice)} can be ${dice.pick(VERBS)}ed in ${dice.whole(2, 40)} requests.`,
];

function thing(dice: Dice): string {
  return `${dice.pick(ADJECTIVES)} ${dice.pick(NOUNS)}`;
}

function aThing(dice: Dice): string {
  const words = thing(dice);
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

function makeSentence(dice: Dice): string {
  return dice.pick(SENTENCES)(dice);
}

/** As long as real descriptions are, starting with `opening`; ends with a whole sentence. */
export function makeDescription(dice: Dice, opening: string): string {
  const wanted = dice.draw(DESCRIPTION_LENGTHS);
  let text = opening;
  for (;;) {
    const longer = `${text} ${makeSentence(dice)}`;
    // Whichever end is nearer, so that lengths are spread around the drawn one, not above it.
    if (longer.length - wanted > wanted - text.length || longer.length > MAX_DESCRIPTION_LENGTH) return text;
    text = longer;
  }
}

/** A markdown body of a few hundred characters. */
export function makeDetails(dice: Dice, packageName: string, affected: string): string {
  const parts = [
    '## Summary',
    `\`${packageName}\` ${affected}: ${makeSentence(dice)} ${makeSentence(dice)}`,
    '## Impact',
  ];
  parts.push(Array.from({ length: dice.whole(1, 3) }, () => `- ${makeSentence(dice)}`).join('\n'));
  if (dice.chance(0.4)) {
    const call = `${dice.pick(NOUNS)}.${dice.pick(VERBS)}(${dice.pick(NOUNS)}, ${dice.whole(0, 4096)});`;
    parts.push('## Proof', `\`\`\`js\n${call}\n\`\`\``);
  }
  if (dice.chance(0.6)) parts.push('## Workaround', makeSentence(dice));
  return `${parts.join('\n\n')}\n`;
}

/** A clause that lengthens a title. */
export function makeClause(dice: Dice): string {
  return `via the ${dice.pick(ADJECTIVES)} ${dice.pick(NOUNS)} of the ${dice.pick(NOUNS)}`;
}

export function makePerson(dice: Dice): FeedPerson {
  const first = dice.pickEarly(INVENTED);
  const last = dice.pick(INVENTED);
  return {
    name: `${capitalized(first)} ${capitalized(last)}`,
    url: `https://researchers.example/${first}-${last}`,
  };
}
