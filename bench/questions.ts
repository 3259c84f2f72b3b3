// What the benches ask: selected products, versions around their bounds, and a mix like that of real clients. All
// drawn from a fixed seed and from the generation itself, so the same snapshot always gets the same questions.

import { Dice, mix } from '../src/generator/dice.ts';
import type { Generation } from '../src/index/generation.ts';
import { Matches } from '../src/index/lookup/matches.ts';
import { PRODUCT_TYPES, type ProductType } from '../src/index/product-type.ts';
import { isVulnerable, match } from '../test/support/verdicts.ts';
import { SEED } from './corpus.ts';

export interface Question {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

/** A product that a bench asks about, with affected and unaffected versions. */
export interface Subject {
  readonly product: number;
  readonly type: ProductType;
  readonly name: string;
  readonly words: string;
  readonly hits: readonly Question[];
  readonly misses: readonly Question[];
}

const HIT_COUNT = 64; // too many for the branch predictor to learn, few enough for linear loops
const DRAWS_PER_HIT = 40;
const UNKNOWN_SHARE = 0.15; // share of products a scanner asks for that have no advisory
const CORE_SHARE = 0.05; // a site asks once for core and some twenty times for the rest

/**
 * A plugin with one advisory of one span, WordPress core, and the package with the most advisories. That package tends to
 * have an advisory that was never fixed, so that every version hits; then also the largest with versions that miss.
 */
export function subjectsOf(generation: Generation): Subject[] {
  const { columns } = generation.parts;
  const all = Array.from(columns.productType, (_, product) => product);
  const advisories = (product: number): number => generation.advisoriesOf(product).length;
  const ofType = (type: ProductType): number[] =>
    all.filter((product) => typeOf(generation, product) === type && advisories(product) > 0);
  const simple = ofType('plugin').find((product) => isSimple(generation, product));
  const core = ofType('wordpress')[0];
  const packages = ofType('npm').toSorted((a, b) => advisories(b) - advisories(a));
  const fixed = packages.find((product) => newestIsSafe(generation, product));
  const chosen = [
    ['a plugin with one span', simple],
    ['WordPress core', core],
    ['the largest package', packages[0]],
    ['the largest package with unaffected versions', fixed === packages[0] ? undefined : fixed],
  ] as const;
  return chosen.flatMap(([words, product]) =>
    product === undefined ? [] : [subjectOf(generation, product, words)],
  );
}

function subjectOf(generation: Generation, product: number, words: string): Subject {
  const type = typeOf(generation, product);
  const name = slugOf(generation, product);
  const dice = new Dice(mix(SEED, 101, product));
  const hits: Question[] = [];
  const misses: Question[] = [];
  for (let draw = 0; draw < HIT_COUNT * DRAWS_PER_HIT; draw++) {
    const question = { type, name, version: versionNear(generation, product, dice) };
    const isHit = isVulnerable(generation, type, name, question.version);
    if (isHit === undefined) continue;
    const list = isHit ? hits : misses;
    if (list.length < HIT_COUNT) list.push(question);
  }
  const { columns } = generation.parts;
  const spans = generation
    .advisoriesOf(product)
    .reduce((sum, each) => sum + columns.advisorySpanStart[each + 1] - columns.advisorySpanStart[each], 0);
  const counts = `${generation.advisoriesOf(product).length} advisories, ${spans} spans`;
  return { product, type, name, words: `${words} (${counts})`, hits, misses };
}

/** One advisory of one span with two finite bounds, so that there are versions on either side. */
function isSimple(generation: Generation, product: number): boolean {
  const { productGroupStart, groupScheme, groupBoundStart, groupIntervalStart } = generation.parts.columns;
  const group = productGroupStart[product];
  return (
    productGroupStart[product + 1] - group === 1 &&
    groupScheme[group] === 0 &&
    groupIntervalStart[group + 1] - groupIntervalStart[group] === 1 &&
    groupBoundStart[group + 1] - groupBoundStart[group] === 1 &&
    newestIsSafe(generation, product)
  );
}

function newestIsSafe(generation: Generation, product: number): boolean {
  const newest = '99999.0.0'; // above every bound
  return isVulnerable(generation, typeOf(generation, product), slugOf(generation, product), newest) === false;
}

/**
 * A mix of products as clients ask for them: every product about 1/rank as often as the most popular one, ranks assigned
 * at random, core and unknown products at fixed shares. Versions are mostly recent ones, as on sites that update.
 */
export function zipfMix(generation: Generation, count: number): Question[] {
  const dice = new Dice(mix(SEED, 102));
  const ranks = productsWith(generation, 1);
  for (let at = ranks.length - 1; at > 0; at--) {
    const other = dice.whole(0, at);
    [ranks[at], ranks[other]] = [ranks[other], ranks[at]];
  }
  const core = ranks.find((product) => typeOf(generation, product) === 'wordpress');
  return Array.from({ length: count }, (): Question => {
    const share = dice.fraction();
    if (share < UNKNOWN_SHARE) {
      return { type: 'plugin', name: `nobody-reported-${dice.whole(1, 1e6)}`, version: plainVersion(dice) };
    }
    const product = share < UNKNOWN_SHARE + CORE_SHARE && core !== undefined ? core : dice.pickEarly(ranks);
    const type = typeOf(generation, product);
    return { type, name: slugOf(generation, product), version: versionNear(generation, product, dice, 3) };
  });
}

/** Questions with exactly `found` matches, about any product that has them; fewer than `count` if they are rare. */
export function questionsFinding(generation: Generation, found: number, count: number): Question[] {
  const dice = new Dice(mix(SEED, 103, found));
  const products = productsWith(generation, found);
  const matches = new Matches();
  const questions: Question[] = [];
  if (products.length === 0) return questions;
  for (let draw = 0; draw < count * DRAWS_PER_HIT && questions.length < count; draw++) {
    const product = dice.pick(products);
    const type = typeOf(generation, product);
    const name = slugOf(generation, product);
    const version = versionNear(generation, product, dice);
    match(generation, type, name, version, matches);
    if (matches.count === found) questions.push({ type, name, version });
  }
  return questions;
}

/** The products with at least that many published advisories. */
function productsWith(generation: Generation, atLeast: number): number[] {
  const { productAdvisoryStart } = generation.parts.columns;
  const products: number[] = [];
  for (let product = 0; product + 1 < productAdvisoryStart.length; product++) {
    if (productAdvisoryStart[product + 1] - productAdvisoryStart[product] >= atLeast) products.push(product);
  }
  return products;
}

/** The hit rate and mean matches of a mix, for the description of the corpus. */
export function describeMix(generation: Generation, questions: readonly Question[]): string {
  const matches = new Matches();
  let hits = 0;
  let found = 0;
  for (const { type, name, version } of questions) {
    match(generation, type, name, version, matches);
    if (matches.count > 0) hits++;
    found += matches.count;
  }
  const names = new Set(questions.map(({ type, name }) => `${type}/${name}`)).size;
  const hitShare = ((100 * hits) / questions.length).toFixed(0);
  const mean = (found / questions.length).toFixed(2);
  return `Zipf mix: ${questions.length} questions about ${names} products, ${hitShare} % hit, ${mean} matches per question`;
}

export function typeOf(generation: Generation, product: number): ProductType {
  return PRODUCT_TYPES[generation.parts.columns.productType[product]];
}

export function slugOf(generation: Generation, product: number): string {
  const { productSlug, productSlugStart } = generation.parts.columns;
  return textOf(productSlug, productSlugStart, product);
}

export function versionAt(generation: Generation, version: number): string {
  const { versionText, versionTextStart } = generation.parts.columns;
  return textOf(versionText, versionTextStart, version);
}

/** Copies first: the columns are in shared memory, which not every decoder accepts. */
function textOf(bytes: Uint8Array, starts: Uint32Array, index: number): string {
  return Buffer.from(bytes.slice(starts[index], starts[index + 1])).toString();
}

/**
 * A bound of the product, a neighbour of one, or occasionally an unrelated version. A `recency` of 1
 * draws all bounds equally often, a higher one favours upper bounds.
 */
function versionNear(generation: Generation, product: number, dice: Dice, recency = 1): string {
  const { productGroupStart, groupBoundStart, boundVersion } = generation.parts.columns;
  const first = groupBoundStart[productGroupStart[product]];
  const last = groupBoundStart[productGroupStart[product + 1]];
  if (first === last || dice.chance(0.2)) return plainVersion(dice);
  const below = Math.floor((last - first) * dice.fraction() ** recency);
  const bound = versionAt(generation, boundVersion[last - 1 - below]);
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
