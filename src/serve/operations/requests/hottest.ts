// The products that are looked up most, from a sample of the last minutes.

import type { HotProduct } from '../../../dialects/operations/document.ts';
import type { IndexColumns } from '../../../index/columns.ts';
import { PRODUCT_TYPES } from '../../../index/product-type.ts';
import { generationTag, type Lookup } from './lookup-ring.ts';

const WINDOW_SECONDS = 300;
const LEAST_WINDOW_SECONDS = 60;
/** Of a sample: enough that a product with a hundredth of all look-ups is counted 150 times in the window. */
export const WANTED_PER_SECOND = 50;
/** What arrives in the window, and as much again in bursts. */
const KEPT = 2 * WANTED_PER_SECOND * WINDOW_SECONDS;
const MOST_SHOWN = 20;
/** Products whose names are looked up: two generations may show the same one twice. */
const MOST_NAMED = 3 * MOST_SHOWN;

/** A generation whose rows can be named. */
export interface NamedGeneration {
  readonly id: string;
  readonly columns: Pick<IndexColumns, 'productType' | 'productSlug' | 'productSlugStart'>;
}

const utf8 = new TextDecoder();

export class HotProducts {
  readonly #products = new Int32Array(KEPT);
  readonly #tags = new Int32Array(KEPT);
  readonly #weights = new Float64Array(KEPT);
  readonly #seconds = new Float64Array(KEPT);
  readonly #startSeconds: number;
  #added = 0;

  /** Times are seconds of the monotonic clock. */
  constructor(nowSeconds: number) {
    this.#startSeconds = nowSeconds;
  }

  add(lookups: readonly Omit<Lookup, 'version' | 'caller'>[], nowSeconds: number): void {
    for (const { product, tag, weight } of lookups) {
      const at = this.#added % KEPT;
      this.#products[at] = product;
      this.#tags[at] = tag;
      this.#weights[at] = weight;
      this.#seconds[at] = nowSeconds;
      this.#added++;
    }
  }

  /**
   * The hottest first. A product of a generation that is not given any more is left
   * out, but counts for the shares.
   */
  top(generations: readonly NamedGeneration[], nowSeconds: number): readonly HotProduct[] {
    const tags = new Map(generations.map(({ id }, index) => [generationTag(id), index]));
    const weights = generations.map(() => new Map<number, number>());
    let total = 0;
    const sinceSeconds = nowSeconds - WINDOW_SECONDS;
    for (let i = 0; i < Math.min(this.#added, KEPT); i++) {
      if (this.#seconds[i] <= sinceSeconds) continue;
      total += this.#weights[i];
      const generation = tags.get(this.#tags[i]);
      // A row that the worker wrote while it was read may belong to another entry's generation.
      if (generation === undefined || this.#products[i] >= generations[generation].columns.productType.length)
        continue;
      const product = this.#products[i];
      const ofGeneration = weights[generation];
      ofGeneration.set(product, (ofGeneration.get(product) ?? 0) + this.#weights[i]);
    }
    const named = new Map<string, { type: HotProduct['type']; name: string; weight: number }>();
    const heaviest = weights
      .flatMap((ofGeneration, index) => heaviestOf(ofGeneration).map((entry) => ({ ...entry, index })))
      .sort((a, b) => b.weight - a.weight);
    for (const { row, weight, index } of heaviest) {
      const product = nameOf(generations[index].columns, row);
      const text = `${product.type}/${product.name}`;
      named.set(text, { ...product, weight: weight + (named.get(text)?.weight ?? 0) });
    }
    // After bursts the ring goes back less far than the window.
    const from = this.#added > KEPT ? this.#seconds[this.#added % KEPT] : this.#startSeconds;
    const elapsed = Math.min(WINDOW_SECONDS, nowSeconds - from);
    const minutes = Math.max(LEAST_WINDOW_SECONDS, elapsed) / 60;
    return [...named.values()]
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MOST_SHOWN)
      .map(({ type, name, weight }) => ({
        type,
        name,
        requests_per_minute: Number((weight / minutes).toFixed(2)),
        share: Number((weight / total).toFixed(4)),
      }));
  }
}

/** As many as are named. */
function heaviestOf(weights: ReadonlyMap<number, number>): { row: number; weight: number }[] {
  const entries = Array.from(weights, ([row, weight]) => ({ row, weight }));
  return entries.sort((a, b) => b.weight - a.weight).slice(0, MOST_NAMED);
}

function nameOf(
  { productType, productSlug, productSlugStart }: NamedGeneration['columns'],
  product: number,
): Pick<HotProduct, 'type' | 'name'> {
  // Copied: not shared.
  const bytes = productSlug.slice(productSlugStart[product], productSlugStart[product + 1]);
  return { type: PRODUCT_TYPES[productType[product]], name: utf8.decode(bytes) };
}
