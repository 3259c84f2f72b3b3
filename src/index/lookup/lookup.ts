// What a lookup asks about, for every program and client language that asks: a product by type and name, at a
// version or at any.

import type { ProductType } from '../product-type.ts';
import { isVersionOf } from '../versions/version-of-type.ts';

export interface Lookup {
  readonly type: ProductType;
  readonly name: string;
  /** A version, or ANY_VERSION. */
  readonly version: string;
}

/** In place of a version: every published advisory of the product. No scheme takes it for a version. */
export const ANY_VERSION = '*';

/** Whether the lookup has an answer, which depends on the type alone. */
export function isVersionOrAny({ type, version }: Pick<Lookup, 'type' | 'version'>): boolean {
  return version === ANY_VERSION || isVersionOf(type, version);
}
