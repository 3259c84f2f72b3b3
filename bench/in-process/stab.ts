// One product, one version: does any advisory apply, and which. For WordPress core and for a package with
// many advisories, compared with loops over the same spans, at versions around their bounds, drawn from a
// fixed seed.

import { Dice, mix } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { isVulnerable } from '../../test/support/answers/verdicts.ts';
import { SEED } from '../corpus.ts';
import { type Product, productsOf, type Question, spansOf } from '../questions.ts';
import { rivalsOf } from './linear.ts';
import { existsTask, matchTask } from './lookup.ts';
import { askingAll, type Prepared, type Task } from './measure.ts';

const QUESTIONS = 64; // too many for the branch predictor to learn, few enough for linear loops
const DRAWS = 40 * QUESTIONS;
const ABOVE_EVERY_BOUND = '99999.0.0';

export function prepareStab(generation: Generation): Prepared {
  const notes: string[] = [];
  const tasks = subjectsOf(generation).flatMap(({ words, product }) => {
    const advisories = generation.advisoriesOf(product.ordinal);
    const spans = advisories.reduce((sum, each) => sum + spansOf(generation, each).length, 0);
    const { hits, misses } = questionsAbout(generation, product);
    const counts = `${advisories.length} advisories, ${spans} spans`;
    const versions = `${hits.length} versions that hit, ${misses.length} that miss`;
    notes.push(`${words}: ${product.type} ${product.name}, ${counts}; ${versions}`);
    return [
      ...tasksOf(generation, product, `${words}, hit`, hits),
      ...tasksOf(generation, product, `${words}, miss`, misses),
    ];
  });
  return { notes, tasks };
}

function tasksOf(
  generation: Generation,
  product: Product,
  words: string,
  questions: readonly Question[],
): Task[] {
  if (questions.length === 0) return [];
  const [any, which] = [`any advisory? ${words}`, `which ones? ${words}`];
  const rivals = rivalsOf(generation, product);
  return [
    existsTask(generation, any, questions),
    ...rivals.map((rival) => askingAll(rival.name, any, questions, ({ version }) => rival.any(version))),
    matchTask(generation, which, questions),
    ...rivals.map(({ name, find }) =>
      askingAll(
        name,
        which,
        questions,
        ({ version }) => find(version).length,
        ({ version }) => find(version).join(' '),
      ),
    ),
  ];
}

/** WordPress core, and the package with the most advisories of those that have unaffected versions too. */
function subjectsOf(generation: Generation): { readonly words: string; readonly product: Product }[] {
  const products = [...productsOf(generation)];
  const advisories = ({ ordinal }: Product): number => generation.advisoriesOf(ordinal).length;
  const core = products.find(({ type }) => type === 'wordpress');
  const largest = products
    .filter(({ type }) => type === 'npm')
    .toSorted((a, b) => advisories(b) - advisories(a) || a.ordinal - b.ordinal)
    .find(({ type, name }) => isVulnerable(generation, type, name, ABOVE_EVERY_BOUND) === false);
  return [
    ...(core === undefined ? [] : [{ words: 'WordPress core', product: core }]),
    ...(largest === undefined ? [] : [{ words: 'the largest package', product: largest }]),
  ];
}

function questionsAbout(generation: Generation, { ordinal, type, name }: Product) {
  const dice = new Dice(mix(SEED, 101, ordinal));
  const hits: Question[] = [];
  const misses: Question[] = [];
  for (let draw = 0; draw < DRAWS; draw++) {
    const question = { type, name, version: versionNear(generation, ordinal, dice) };
    const isHit = isVulnerable(generation, type, name, question.version);
    if (isHit === undefined) continue;
    const list = isHit ? hits : misses;
    if (list.length < QUESTIONS) list.push(question);
  }
  return { hits, misses };
}

/** A bound of the product, a neighbour of one, or occasionally an unrelated version. */
function versionNear(generation: Generation, product: number, dice: Dice): string {
  const { productGroupStart, groupBoundStart, boundVersion } = generation.parts.columns;
  const first = groupBoundStart[productGroupStart[product]];
  const last = groupBoundStart[productGroupStart[product + 1]];
  if (first === last || dice.chance(0.2)) {
    return `${dice.whole(0, 9)}.${dice.whole(0, 20)}.${dice.whole(0, 20)}`;
  }
  const below = Math.floor((last - first) * dice.fraction());
  const bound = generation.versionText(boundVersion[last - 1 - below]);
  const parts = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(bound)?.slice(1).map(Number);
  if (parts === undefined || dice.chance(0.3)) return bound;
  const [major, minor, patch] = parts;
  return dice.chance(0.5)
    ? `${major}.${minor}.${patch + dice.whole(1, 3)}`
    : `${major}.${Math.max(0, minor - 1)}.${dice.whole(0, 9)}`;
}
