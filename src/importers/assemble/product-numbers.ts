// The numbers of products that sources bring along. A product has one number, whatever its records say: that
// of the most preferred source which has one, and the lowest if that has several.

import type { ProductType } from '../../index/product-type.ts';
import type { PackedKeys } from '../packed-draft.ts';

export class OwnProductNumbers {
  readonly #order: readonly number[];
  readonly #best = new Map<string, { readonly rank: number; readonly number: number }>();
  readonly #all = new Set<number>();

  /** `order` has the sources, the most preferred first. */
  constructor(order: readonly number[]) {
    this.#order = order;
  }

  add(
    source: number,
    { product, productNumber: number }: Pick<PackedKeys, 'product' | 'productNumber'>,
  ): void {
    if (number === undefined) return;
    this.#all.add(number);
    const rank = this.#order.indexOf(source);
    const best = this.#best.get(product);
    if (best === undefined || rank < best.rank || (rank === best.rank && number < best.number)) {
      this.#best.set(product, { rank, number });
    }
  }

  /** Requires: the slug as it is looked up. */
  find(type: ProductType, slug: string): number | undefined {
    return this.#best.get(`${type}/${slug}`)?.number;
  }

  has(number: number): boolean {
    return this.#all.has(number);
  }
}
