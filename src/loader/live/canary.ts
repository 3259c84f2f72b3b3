// The canary: before a snapshot goes live, what clients asked for last is asked of it and of the live one. If
// the verdicts of too many products differ, a mistake of a source is more likely than that much news.
// Products count, not look-ups: whoever asks for hundreds of versions of one product must not decide for all.
// Nor must one caller, or callers without a key: for whoever asks only about what has just become news, a
// sound snapshot changes every verdict.

import type { Generation } from '../../index/generation.ts';
import { ThreadMemory } from '../../index/memory/thread-memory.ts';
import type { ProductType } from '../../index/product-type.ts';
import { SnapshotError } from '../errors.ts';

/** So many products of all callers are kept, and of each the last versions: some megabytes. */
const MOST_PRODUCTS = 10_000;
const MOST_VERSIONS = 16;
/** Of fewer, a handful of news would be a large share. */
const LEAST_PRODUCTS = 100;
/** Of fewer, each counts in full: what one alone asks about may be all that shows the loss of a source. */
const LEAST_CALLERS = 10;
const MOST_LISTED = 20;

export interface AskedVersion {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

export interface VerdictChange extends AskedVersion {
  readonly isVulnerable: boolean;
}

/** Tells callers with a key apart; undefined for those without one, who are one caller together. */
type CallerNumber = number | undefined;
type Versions = Map<string, AskedVersion>;
/** By type and name; those asked about longest ago first. */
type Products = Map<string, Versions>;

export class Canary {
  /** Those who asked longest ago first. No list is empty. */
  readonly #asked = new Map<CallerNumber, Products>();
  #kept = 0;

  /** Of products, each as often as callers asked about it. */
  get count(): number {
    return this.#kept;
  }

  /** Without a caller, it is one without a key. */
  note(asked: AskedVersion, caller?: number): void {
    const product = productOf(asked);
    const products: Products = this.#asked.get(caller) ?? new Map();
    const versions: Versions = products.get(product) ?? new Map();
    if (!products.has(product)) this.#kept++;
    putLast(this.#asked, caller, products);
    putLast(products, product, versions);
    putLast(versions, asked.version, asked);
    if (versions.size > MOST_VERSIONS) dropFirst(versions);
    if (this.#kept > MOST_PRODUCTS) this.#dropProduct();
  }

  /** What would be answered otherwise, each once, the last caller first and of each the last asked first. */
  changes(live: Generation, next: Generation): VerdictChange[] {
    return listed(changesFor(this.#judges(), live, next));
  }

  /**
   * Refuses `next` if a verdict changes for more than that share of the products; 100 allows any, and so do
   * few products. Of many callers, no single one may be what makes the share too high. The error lists the
   * first changes.
   */
  findChanged(live: Generation, next: Generation, maxChangePercent: number): SnapshotError | undefined {
    if (maxChangePercent >= 100) return undefined;
    const judges = this.#judges();
    const asked = tally(judges.map((products) => [...products.keys()]));
    if (asked.count < LEAST_PRODUCTS) return undefined;
    const changes = changesFor(judges, live, next);
    const changed = tally(changes.map((each) => each.map(productOf)));
    const isTooMuch = (changedCount: number, askedCount: number): boolean =>
      changedCount * 100 > maxChangePercent * askedCount;
    if (!isTooMuch(changed.count, asked.count)) return undefined;
    const dependsOn = (judge: number): boolean => {
      const others = asked.count - asked.own[judge];
      return others >= LEAST_PRODUCTS && !isTooMuch(changed.count - changed.own[judge], others);
    };
    if (judges.length >= LEAST_CALLERS && judges.some((_, judge) => dependsOn(judge))) return undefined;
    const all = listed(changes);
    const shown = all.slice(0, MOST_LISTED).map(describe).join(', ');
    const rest = all.length - MOST_LISTED;
    return new SnapshotError({
      code: 'verdicts-changed',
      section: 'file',
      offset: 0,
      expected: `other verdicts for at most ${maxChangePercent} % of the last ${asked.count} products that were asked about`,
      got: `${changed.count}: ${shown}${rest > 0 ? `, and ${rest} more` : ''}`,
    });
  }

  /** What each caller asked about, the last caller first; of those with a key alone, if that suffices. */
  #judges(): readonly Products[] {
    const callers = [...this.#asked].reverse();
    const withKey = callers.filter(([caller]) => caller !== undefined).map(([, products]) => products);
    const known = new Set(withKey.flatMap((products) => [...products.keys()]));
    return known.size >= LEAST_PRODUCTS ? withKey : callers.map(([, products]) => products);
  }

  /** Of the caller with the most: whoever asks about many products displaces its own. */
  #dropProduct(): void {
    let [[most, products]] = this.#asked;
    for (const [caller, each] of this.#asked) {
      if (each.size > products.size) [most, products] = [caller, each];
    }
    dropFirst(products);
    this.#kept--;
    if (products.size === 0) this.#asked.delete(most);
  }
}

interface Tally {
  /** Of products. */
  readonly count: number;
  /** Of those that no other caller has, by caller. */
  readonly own: readonly number[];
}

/** Counts products that callers have, each once. */
function tally(callers: readonly (readonly string[])[]): Tally {
  const SEVERAL = -1;
  const owners = new Map<string, number>();
  for (const [caller, products] of callers.entries()) {
    for (const product of products) {
      const isOthers = (owners.get(product) ?? caller) !== caller;
      owners.set(product, isOthers ? SEVERAL : caller);
    }
  }
  const own = callers.map(() => 0);
  for (const owner of owners.values()) if (owner !== SEVERAL) own[owner]++;
  return { count: owners.size, own };
}

/** What would be answered otherwise to each caller, the last asked first. */
function changesFor(callers: readonly Products[], live: Generation, next: Generation): VerdictChange[][] {
  const memories = [new ThreadMemory(live), new ThreadMemory(next)] as const;
  const verdict = (generation: Generation, { locator }: ThreadMemory, asked: AskedVersion): boolean => {
    const place = generation.locate(asked.type, asked.name, asked.version, locator);
    return place.kind !== 'not-a-version' && generation.any(place);
  };
  return callers.map((products) =>
    [...products.values()]
      .flatMap((versions) => [...versions.values()])
      .reverse()
      .map((asked) => ({ ...asked, isVulnerable: verdict(next, memories[1], asked) }))
      .filter((each) => each.isVulnerable !== verdict(live, memories[0], each)),
  );
}

/** What several callers asked is listed once. */
function listed(changes: readonly VerdictChange[][]): VerdictChange[] {
  const distinct = new Map<string, VerdictChange>();
  for (const change of changes.flat()) {
    const asked = `${productOf(change)} ${change.version}`;
    if (!distinct.has(asked)) distinct.set(asked, change);
  }
  return [...distinct.values()];
}

function productOf({ type, name }: Pick<AskedVersion, 'type' | 'name'>): string {
  return `${type}/${name}`;
}

function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function dropFirst<Key>(map: Map<Key, unknown>): void {
  const [first] = map.keys();
  map.delete(first);
}

function describe({ type, name, version, isVulnerable }: VerdictChange): string {
  return `${type}/${name} ${version} ${isVulnerable ? 'becomes vulnerable' : 'is no longer vulnerable'}`;
}
