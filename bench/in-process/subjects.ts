// The products whose index is compared with linear loops, and versions around their bounds, drawn from a fixed seed.

import { Dice, mix } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { isVulnerable } from '../../test/support/answers/verdicts.ts';
import { SEED } from '../corpus.ts';
import { type Product, productsOf, type Question, spansOf } from '../questions.ts';

/** A product that a bench asks about, with affected and unaffected versions. */
export interface Subject extends Product {
  readonly words: string;
  readonly hits: readonly Question[];
  readonly misses: readonly Question[];
}

const HIT_COUNT = 64; // too many for the branch predictor to learn, few enough for linear loops
const DRAWS_PER_HIT = 40;
const ABOVE_EVERY_BOUND = '99999.0.0';

/** WordPress core, and the package with the most advisories of those that have unaffected versions too. */
export function subjectsOf(generation: Generation): Subject[] {
  const products = [...productsOf(generation)];
  const advisories = ({ ordinal }: Product): number => generation.advisoriesOf(ordinal).length;
  const core = products.find(({ type }) => type === 'wordpress');
  const newestIsSafe = ({ type, name }: Product): boolean =>
    isVulnerable(generation, type, name, ABOVE_EVERY_BOUND) === false;
  const largest = products
    .filter(({ type }) => type === 'npm')
    .toSorted((a, b) => advisories(b) - advisories(a) || a.ordinal - b.ordinal)
    .find(newestIsSafe);
  return [
    ...(core === undefined ? [] : [subjectOf(generation, core, 'WordPress core')]),
    ...(largest === undefined ? [] : [subjectOf(generation, largest, 'the largest package')]),
  ];
}

function subjectOf(generation: Generation, product: Product, words: string): Subject {
  const { ordinal, type, name } = product;
  const dice = new Dice(mix(SEED, 101, ordinal));
  const hits: Question[] = [];
  const misses: Question[] = [];
  for (let draw = 0; draw < HIT_COUNT * DRAWS_PER_HIT; draw++) {
    const question = { type, name, version: versionNear(generation, ordinal, dice) };
    const isHit = isVulnerable(generation, type, name, question.version);
    if (isHit === undefined) continue;
    const list = isHit ? hits : misses;
    if (list.length < HIT_COUNT) list.push(question);
  }
  const advisories = generation.advisoriesOf(ordinal);
  const spans = advisories.reduce((sum, each) => sum + spansOf(generation, each).length, 0);
  const counts = `${advisories.length} advisories, ${spans} spans`;
  return { ...product, words: `${words} (${counts})`, hits, misses };
}

/** A bound of the product, a neighbour of one, or occasionally an unrelated version. */
function versionNear(generation: Generation, product: number, dice: Dice): string {
  const { productGroupStart, groupBoundStart, boundVersion } = generation.parts.columns;
  const first = groupBoundStart[productGroupStart[product]];
  const last = groupBoundStart[productGroupStart[product + 1]];
  if (first === last || dice.chance(0.2)) return plainVersion(dice);
  const below = Math.floor((last - first) * dice.fraction());
  const bound = generation.versionText(boundVersion[last - 1 - below]);
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(bound)?.slice(1).map(Number);
  if (parts === undefined || dice.chance(0.3)) return bound;
  const [major, minor, patch] = parts;
  return dice.chance(0.5)
    ? `${major}.${minor}.${patch + dice.whole(1, 3)}`
    : `${major}.${Math.max(0, minor - 1)}.${dice.whole(0, 9)}`;
}

function plainVersion(dice: Dice): string {
  return `${dice.whole(0, 9)}.${dice.whole(0, 20)}.${dice.whole(0, 20)}`;
}
