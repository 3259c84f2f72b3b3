// What is looked up, and the requests that ask for it. The address of the page holds it too, so a result can
// be shared.

import { isProductType, type ProductType } from '../../index/product-type.ts';

export interface Query {
  readonly type: ProductType;
  /** '' while there is none. */
  readonly name: string;
  /** '' for all versions. */
  readonly version: string;
}

/**
 * Asked where no version is: every scheme orders it, so the answer has the axes. Its verdict is not shown.
 */
const NO_VERSION = '0.0.0';
/** The only product of the type `wordpress`. */
export const WORDPRESS = 'wordpress';

/** The type of an address that no product of the server has; undefined if it has one, or names none. */
export function unknownType(parameters: URLSearchParams): string | undefined {
  const given = parameters.get('type') ?? '';
  return given === '' || isProductType(given) ? undefined : given;
}

/** Requires: no unknown type, unless nothing is asked. */
export function queryOf(parameters: URLSearchParams): Query {
  const given = parameters.get('type');
  const type = isProductType(given) ? given : 'plugin';
  return tidy({ type, name: parameters.get('name') ?? '', version: parameters.get('version') ?? '' });
}

/** Without blanks around the texts; `*`, which the API takes for every version, becomes ''. */
export function tidy({ type, name, version }: Query): Query {
  const tidied = version.trim();
  return { type, name: name.trim(), version: tidied === '*' ? '' : tidied };
}

export function parametersOf({ type, name, version }: Query): { readonly [name: string]: string } {
  return { type, name, version };
}

/** Whether a path can hold the query: a URL drops the parts `.` and `..`, escaped or not. */
export function fitsPath({ name, version }: Query): boolean {
  return [name, version].every((part) => part !== '.' && part !== '..');
}

/** Requires: the query fits a path. */
export function explainPath({ type, name, version }: Query): string {
  return `/explain/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version || NO_VERSION)}`;
}

/** Requires: the query fits a path. */
export function productPath({ type, name, version }: Query): string {
  const which = version === '' ? '*' : `${encodeURIComponent(version)}?fix=true`;
  return `/product/${type}/${encodeURIComponent(name)}/${which}`;
}
