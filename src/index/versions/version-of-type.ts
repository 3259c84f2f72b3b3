// Which texts are versions of the products of a type: the table of types and the table of schemes together.

import { PRODUCT_TYPE_TABLE, type ProductType, productTypeFacts } from '../product-type.ts';
import { isStrictScheme, versionKey } from './version-key.ts';

/** By a type's code: whether its scheme has a grammar and refuses other texts. */
export const STRICT_TYPES: readonly boolean[] = PRODUCT_TYPE_TABLE.map(({ scheme }) =>
  isStrictScheme(scheme),
);

const GRAMMARS = {
  'strict-semver': isStrictSemver,
  'not-any': (version: string) => version !== '*',
} as const;

const GRAMMAR_OF: readonly (((version: string) => boolean) | null)[] = PRODUCT_TYPE_TABLE.map(
  ({ grammar }) => grammar && GRAMMARS[grammar],
);

/** Whether a text that the scheme orders may be asked about, by a type's code. */
export function isInGrammar(code: number, version: string): boolean {
  const accepts = GRAMMAR_OF[code];
  return accepts === null || accepts(version);
}

/**
 * Whether a text is a version of the type's products, whichever the product: for npm what semver can order,
 * for WordPress nearly any text.
 */
export function isVersionOf(type: ProductType, version: string): boolean {
  const { scheme, code } = productTypeFacts(type);
  return isInGrammar(code, version) && versionKey(scheme, version) !== undefined;
}

const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
const STRICT = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

/**
 * Whether the grammar of SemVer 2.0.0 accepts it: no prefix, three numbers, no leading zeros. Requires: a
 * short text.
 */
export function isStrictSemver(version: string): boolean {
  return STRICT.test(version);
}
