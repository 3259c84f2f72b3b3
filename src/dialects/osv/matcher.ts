// Which records a query finds, in order: by descending id of the advisory that was found, each record once.
// The verdict is the generation's.

import type { HandlerContext } from '../../http/context.ts';
import type { Generation } from '../../index/generation.ts';
import type { Located, Segment } from '../../index/lookup/locate.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { ignoredPart } from '../lookup-headers.ts';
import { versionComplaint } from '../path-part.ts';
import { ecosystemFacts, type ProductName, productNamed, productsNamed } from './ecosystems.ts';
import { FIRST_POSITION, type Query } from './read-query.ts';
import { type Records, recordsOf } from './records.ts';

export type PackageQuery = Extract<Query, { kind: 'package' }>;

/** For `Generation.readAhead`; of a query about several products, or none, any number. */
export function hashOf(generation: Generation, query: Query): number {
  if (query.kind !== 'package' || query.ecosystems.length > 1) return 0;
  const named = productNamed(query.ecosystems[0], query.suffix, query.name);
  return named.kind === 'product' ? generation.hashOfName(named.product.type, named.product.name) : 0;
}

/** One list, used again for each query. */
export class Matcher {
  readonly #generation: Generation;
  readonly #memory: ThreadMemory;
  readonly records: Records;
  /** Bare slugs that are a plugin and a theme, in the order of the queries. */
  readonly ambiguous = new Set<string>();
  /** Ecosystems that queries named and of which there is no advisory. */
  readonly withoutData = new Set<string>();
  /** Parts of versions that records are not about. */
  readonly ignoredParts = new Set<string>();
  /** Whether no type that the last query could mean reads its version. */
  isUnreadable = false;
  /** Whether one of them does not, so that what is found may lack its advisories. */
  hasUnread = false;
  /** The advisories found, as ordinals; the first of each record, by descending id. */
  readonly #found: number[] = [];
  #at = 0;
  /** The further records of the advisory at `id`, which come after its own. */
  #further: readonly number[] = [];
  #furtherAt = 0;
  #position = 0;
  /** Where the version of the last query is, as long as nothing was collected there. The locator's own. */
  #place: Segment | undefined;
  /** The record, and the id that it is found at. */
  head = 0;
  id = 0;

  constructor({ generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>) {
    this.#generation = generation;
    this.#memory = memory;
    this.records = recordsOf(generation);
  }

  /**
   * Finds the advisories of a query. Then `next` moves through its records. Requires: nothing else is located
   * in this memory before the first `next`.
   */
  find(query: PackageQuery): void {
    const generation = this.#generation;
    this.#found.length = 0;
    this.#place = undefined;
    let lists = 0;
    let unread = 0;
    for (const ecosystem of query.ecosystems) {
      const { name: platform } = ecosystemFacts(ecosystem);
      const { start, end } = generation.published(platform);
      if (start === end && query.ecosystems.length === 1) this.withoutData.add(ecosystem);
      const { products, isAmbiguous } = productsNamed(generation, ecosystem, query.suffix, query.name);
      if (isAmbiguous) this.ambiguous.add(query.name);
      for (const product of products) {
        const isAlone = query.ecosystems.length === 1 && products.length === 1;
        if (!this.#add(product, query.version, isAlone)) unread++;
        lists++;
      }
    }
    this.isUnreadable = lists > 0 && unread === lists;
    this.hasUnread = unread > 0;
    // The advisories of one product come by descending id.
    if (lists > 1) this.#found.sort((a, b) => generation.idAt(b) - generation.idAt(a));
    this.#position = query.position;
    this.#at = 0;
    this.#furtherAt = this.#further.length;
    this.records.beginList();
  }

  /**
   * Stands for all that `next` will find, in this generation; undefined for a query about several products or
   * places, for all versions, or for a later page. Requires: `next` was not called yet.
   */
  get number(): number | undefined {
    return this.#position === FIRST_POSITION ? this.#place?.number : undefined;
  }

  /**
   * Moves `head` and `id` to the next record below the query's position; false if there is none. Several can
   * have the same id: a page must not end between them.
   */
  next(): boolean {
    if (this.#place !== undefined) {
      this.#collect(this.#place);
      this.#place = undefined;
    }
    for (;;) {
      while (this.#furtherAt < this.#further.length) {
        this.head = this.#further[this.#furtherAt++];
        if (this.records.isNew(this.head) && this.id < this.#position) return true;
      }
      if (this.#at === this.#found.length) return false;
      const ordinal = this.#found[this.#at++];
      this.head = this.records.headOf(ordinal);
      this.id = this.#generation.idAt(ordinal);
      this.#further = this.records.furtherOf(ordinal);
      this.#furtherAt = 0;
      if (this.records.isNew(this.head) && this.id < this.#position) return true;
    }
  }

  /** The advisory that the record was found by. Requires: `next` has found one. */
  get ordinal(): number {
    return this.#found[this.#at - 1];
  }

  /** False if the version cannot be read as one of the type. What is found alone is collected by `next`. */
  #add({ type, name }: ProductName, version: string, isAlone: boolean): boolean {
    if (version === '') {
      const product = this.#generation.findProduct(type, name);
      if (product !== undefined) {
        for (const ordinal of this.#generation.advisoriesOf(product)) this.#found.push(ordinal);
      }
      return true;
    }
    if (versionComplaint(version) !== undefined) return false;
    const ignored = ignoredPart(type, version);
    if (ignored !== '') this.ignoredParts.add(ignored);
    const place = this.#generation.locate(type, name, version, this.#memory.locator);
    if (place.kind === 'not-a-version') return false;
    if (isAlone && place.kind === 'segment') this.#place = place;
    else this.#collect(place);
    return true;
  }

  #collect(place: Located): void {
    const { matches } = this.#memory;
    this.#generation.collect(place, matches);
    for (let i = 0; i < matches.count; i++) this.#found.push(matches.advisoryAt(i));
  }
}
