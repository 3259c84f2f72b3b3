// Whether a text of a record can be a version of the product's scheme.

import { isLongerThan } from '../../index/memory/text-limits.ts';
import type { ProductTypeFacts } from '../../index/product-type.ts';
import { literalKey } from '../../index/versions/literal-version.ts';
import {
  hasLetterOrDigit,
  isStrictScheme,
  MAX_VERSION_BYTES,
  type VersionScheme,
  versionKey,
} from '../../index/versions/version-key.ts';
import { findExpression } from './bound-expression.ts';
import { quoted } from './feed-schema.ts';

/** Why it cannot be one, or undefined. */
export function versionProblem(text: string, scheme: VersionScheme): string | undefined {
  if (isLongerThan(text, MAX_VERSION_BYTES)) return `is longer than ${MAX_VERSION_BYTES} bytes`;
  if (findExpression(text, scheme) !== undefined) return `${quoted(text)} is an expression, not a version`;
  const isVersion = isStrictScheme(scheme) ? versionKey(scheme, text) !== undefined : hasLetterOrDigit(text);
  return isVersion ? undefined : `${quoted(text)} is not a ${scheme} version`;
}

/** Whether a listed version that is none of the type's is matched as the text it is. */
export function isLiteral(text: string, { takesLiterals, scheme }: ProductTypeFacts): boolean {
  if (!takesLiterals || findExpression(text, scheme) !== undefined) return false;
  return versionKey(scheme, text) === undefined && literalKey(text) !== undefined;
}
