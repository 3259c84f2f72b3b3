// The canary: before a snapshot goes live, what clients asked for last is asked of it and of the live one. If
// the verdicts of too many products differ, a mistake of a source is more likely than that much news.
// Products count, not look-ups: whoever asks for hundreds of versions of one product must not decide for all.

import type { Generation } from '../index/generation.ts';
import { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { ProductType } from '../index/product-type.ts';
import { SnapshotError } from './errors.ts';

/** The last of so many products are kept, and of each the last versions: some megabytes. */
const MOST_PRODUCTS = 10_000;
const MOST_VERSIONS = 16;
/** Of fewer, a handful of news would be a large share. */
const LEAST_PRODUCTS = 100;
const MOST_LISTED = 20;

export interface AskedVersion {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

export interface VerdictChange extends AskedVersion {
  readonly isVulnerable: boolean;
}

export class Canary {
  /** By type and name, then by version; those asked longest ago first. */
  readonly #asked = new Map<string, Map<string, AskedVersion>>();

  /** Of products. */
  get count(): number {
    return this.#asked.size;
  }

  note(asked: AskedVersion): void {
    const product = productOf(asked);
    const versions = this.#asked.get(product) ?? new Map<string, AskedVersion>();
    this.#asked.delete(product);
    putLast(this.#asked, product, versions, MOST_PRODUCTS);
    versions.delete(asked.version);
    putLast(versions, asked.version, asked, MOST_VERSIONS);
  }

  /** What would be answered otherwise, the last asked first. */
  changes(live: Generation, next: Generation): VerdictChange[] {
    const memories = [new ThreadMemory(live), new ThreadMemory(next)] as const;
    const verdict = (generation: Generation, { locator }: ThreadMemory, asked: AskedVersion): boolean => {
      const place = generation.locate(asked.type, asked.name, asked.version, locator);
      return place.kind !== 'not-a-version' && generation.any(place);
    };
    return [...this.#asked.values()]
      .flatMap((versions) => [...versions.values()])
      .reverse()
      .map((asked) => ({ ...asked, isVulnerable: verdict(next, memories[1], asked) }))
      .filter((each) => each.isVulnerable !== verdict(live, memories[0], each));
  }

  /**
   * Refuses `next` if a verdict changes for more than that share of the products; 100 allows any, and so do
   * few products. The error lists the first changes.
   */
  findChanged(live: Generation, next: Generation, maxChangePercent: number): SnapshotError | undefined {
    if (maxChangePercent >= 100 || this.count < LEAST_PRODUCTS) return undefined;
    const changes = this.changes(live, next);
    const products = new Set(changes.map(productOf)).size;
    if (products * 100 <= maxChangePercent * this.count) return undefined;
    const listed = changes.slice(0, MOST_LISTED).map(describe).join(', ');
    const rest = changes.length - MOST_LISTED;
    return new SnapshotError({
      code: 'verdicts-changed',
      section: 'file',
      offset: 0,
      expected: `other verdicts for at most ${maxChangePercent} % of the last ${this.count} products that were asked about`,
      got: `${products}: ${listed}${rest > 0 ? `, and ${rest} more` : ''}`,
    });
  }
}

function productOf({ type, name }: Pick<AskedVersion, 'type' | 'name'>): string {
  return `${type}/${name}`;
}

/** Drops the entry that was put longest ago if there are more than `most`. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value);
  if (map.size <= most) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}

function describe({ type, name, version, isVulnerable }: VerdictChange): string {
  return `${type}/${name} ${version} ${isVulnerable ? 'becomes vulnerable' : 'is no longer vulnerable'}`;
}
