// The path of a lookup, `{type}/{name}/{version}`, read from its parts as sent.

import type { ParameterError } from '../http/replies/problems.ts';
import type { PathParts } from '../http/routing/dialect.ts';
import type { Lookup } from '../index/lookup/lookup.ts';
import { formComplaint } from '../index/name-forms.ts';
import { isProductType, type NameSlashes, PRODUCT_TYPE_TABLE } from '../index/product-type.ts';
import { decodePart, nameComplaint, TYPE_COMPLAINT, versionComplaint } from './path-part.ts';

export const PRODUCT_PATTERN = '/product/{type}/{name}/{version}';

/** A scope without an encoded slash. `@foo` alone is not an npm name, so a scope always begins a pair. */
const SCOPE = /^(?:@|%40)(?!.*%2f)/i;
/** The first of two parts without what would separate them in one. */
const FIRST_OF_PAIR = /^(?!.*(?::|%3a|%2f))/i;
const ANY_NUMBER = Number.POSITIVE_INFINITY;

const WIDTHS: { readonly [slashes in NameSlashes]: ((part: string) => number) | undefined } = {
  none: undefined,
  scope: (part) => Number(SCOPE.test(part)),
  pair: (part) => Number(FIRST_OF_PAIR.test(part)),
  any: () => ANY_NUMBER,
};

const WIDE_TYPES = PRODUCT_TYPE_TABLE.flatMap(({ name, nameSlashes }) => {
  const widthOf = WIDTHS[nameSlashes];
  return widthOf === undefined ? [] : [{ type: name as string, widthOf }];
});

/** A name may be sent with its slashes unescaped, such as `@scope/pkg`: several parts of a path. */
export const WIDE_NAME = {
  name: (part: string, type: string): number => {
    const decoded = decodePart(type);
    for (const wide of WIDE_TYPES) if (wide.type === decoded) return wide.widthOf(part);
    return 0;
  },
};

export const NOT_A_VERSION = 'is not a version of this type of product';

export const BAD_VERSION: ParameterError = { parameter: 'version', message: NOT_A_VERSION };
export const NOT_CONCRETE: ParameterError = { parameter: 'version', message: 'must be a concrete version' };

/** The parts of the path decoded, or undefined with one entry in `errors` for each bad one. */
export function readProduct(parts: PathParts, errors: ParameterError[]): Lookup | undefined {
  // By index: destructuring would cost as much as the rest of this function.
  const type = decodePart(parts[0]);
  const isKnown = isProductType(type);
  if (!isKnown) errors.push({ parameter: 'type', message: TYPE_COMPLAINT });
  const name = readPart('name', parts[1], nameComplaint, errors);
  const misformed = isKnown && name !== undefined ? formComplaint(type, name) : undefined;
  if (misformed !== undefined) errors.push({ parameter: 'name', message: misformed });
  const version = readPart('version', parts[2], versionComplaint, errors);
  if (!isKnown || name === undefined || misformed !== undefined || version === undefined) return undefined;
  return { type, name, version };
}

/** One part decoded, or undefined with an entry in `errors`. */
export function readPart(
  parameter: string,
  part: string,
  complaintOf: (text: string) => string | undefined,
  errors: ParameterError[],
): string | undefined {
  const text = decodePart(part);
  const message = text === undefined ? 'has a percent escape that is not valid' : complaintOf(text);
  if (message !== undefined) errors.push({ parameter, message });
  return message === undefined ? text : undefined;
}
