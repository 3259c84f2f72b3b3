// What clients ask for, from the sample of their look-ups to the canary.

import { textAt } from '../../index/column-texts.ts';
import type { Generation } from '../../index/generation.ts';
import { PRODUCT_TYPES } from '../../index/product-type.ts';
import type { Canary } from '../../loader/live/canary.ts';
import { generationTag, LookupRings } from '../operations/requests/lookup-ring.ts';

export class AskedVersions {
  readonly #rings: LookupRings;
  readonly #canary: Canary;

  constructor(memory: SharedArrayBuffer, canary: Canary) {
    this.#rings = new LookupRings(memory);
    this.#canary = canary;
  }

  /** Notes what is new; of another generation than the live one, rows cannot be named. */
  take(live: Generation | undefined): void {
    const lookups = this.#rings.take();
    if (live === undefined) return;
    const { productType, productSlug, productSlugStart } = live.parts.columns;
    const liveTag = generationTag(live.id);
    for (const { product, version, tag, caller } of lookups) {
      // A row may be that of another entry, which was written while it was read.
      if (version === undefined || tag !== liveTag || product >= productType.length) continue;
      const name = textAt(productSlug, productSlugStart, product);
      this.#canary.note({ type: PRODUCT_TYPES[productType[product]], name, version }, caller);
    }
  }
}
