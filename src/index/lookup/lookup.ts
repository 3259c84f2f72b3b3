// What a lookup asks about, for every program and client language that asks: a product by type and name, at a
// version or at any.

import { type ProductType, productTypeFacts } from '../product-type.ts';
import { literalKey } from '../versions/literal-version.ts';
import { isVersionOf } from '../versions/version-of-type.ts';

export interface Lookup {
  readonly type: ProductType;
  readonly name: string;
  /** A version, or ANY_VERSION. */
  readonly version: string;
}

/** In place of a version: every published advisory of the product. No scheme takes it for a version. */
export const ANY_VERSION = '*';

/**
 * Whether the lookup can have an answer, by the type alone: of a text that is no version it depends on the
 * data (versions/literal-version.ts).
 */
export function isAskable(lookup: Pick<Lookup, 'type' | 'version'>): boolean {
  const { type, version } = lookup;
  return (
    isVersionOrAny(lookup) || (productTypeFacts(type).takesLiterals && literalKey(version) !== undefined)
  );
}

/** Whether the lookup has an answer whatever the data. */
export function isVersionOrAny({ type, version }: Pick<Lookup, 'type' | 'version'>): boolean {
  return version === ANY_VERSION || isVersionOf(type, version);
}
