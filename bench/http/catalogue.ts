// What a bench needs to know about a snapshot: products with their names and versions worth asking about.

import { NONE } from '../../src/index/columns.ts';
import type { Generation } from '../../src/index/generation.ts';
import { PRODUCT_TYPES, type ProductType } from '../../src/index/product-type.ts';

const STRIDE = 7_919; // a prime: products are sorted, and neighbours in memory should be queried far apart
const ENOUGH_VERSIONS = 400;

export interface Product {
  readonly ordinal: number;
  readonly type: ProductType;
  readonly slug: string;
  readonly advisoryCount: number;
}

const utf8 = new TextDecoder();

/** Every product with published advisories, in an order unrelated to where it is stored. */
export function* productsOf(generation: Generation): Generator<Product> {
  const { productType, productSlug, productSlugStart } = generation.parts.columns;
  const count = productType.length;
  const stride = count % STRIDE === 0 ? 1 : STRIDE;
  for (let place = 0; place < count; place++) {
    const ordinal = (place * stride) % count;
    const advisoryCount = generation.advisoriesOf(ordinal).length;
    if (advisoryCount === 0) continue;
    const slug = utf8.decode(productSlug.slice(productSlugStart[ordinal], productSlugStart[ordinal + 1]));
    yield { ordinal, type: PRODUCT_TYPES[productType[ordinal]], slug, advisoryCount };
  }
}

/** The versions at which the product's spans begin and end, each once. */
export function versionsOf(generation: Generation, product: Product): string[] {
  const { advisorySpanStart, spanFrom, spanTo, spanFixedIn } = generation.parts.columns;
  const versions = new Set<string>();
  for (const advisory of generation.advisoriesOf(product.ordinal)) {
    for (let span = advisorySpanStart[advisory]; span < advisorySpanStart[advisory + 1]; span++) {
      for (const version of [spanFrom[span], spanTo[span], spanFixedIn[span]]) {
        const text = versionText(generation, version);
        if (text !== null) versions.add(text);
      }
    }
    if (versions.size >= ENOUGH_VERSIONS) break;
  }
  return [...versions];
}

/** The text of a row of the version table, null for no version. */
export function versionText({ parts: { columns } }: Generation, version: number): string | null {
  const { versionText: bytes, versionTextStart } = columns;
  return version === NONE
    ? null
    : utf8.decode(bytes.slice(versionTextStart[version], versionTextStart[version + 1]));
}
