// The path table: what a method and a path mean. Parts of a path are handed on as sent; judging and decoding
// them is the handlers'.

import { ENDPOINTS, type Endpoint } from '../access/endpoints.ts';
import { PRODUCT_TYPE_TABLE } from '../index/product-type.ts';

export type Route =
  | { readonly kind: 'listing'; readonly endpoint: 'all' | 'latest' }
  | {
      readonly kind: 'product';
      readonly endpoint: 'product' | 'exists';
      readonly type: string;
      readonly name: string;
      readonly version: string;
    }
  | { readonly kind: 'batch'; readonly endpoint: 'batch' }
  | { readonly kind: 'vulnerability'; readonly endpoint: 'vulnerability'; readonly id: string }
  | { readonly kind: 'openapi' | 'healthz' | 'readyz' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'wrong-method'; readonly allow: string };

/** What a request is counted as. */
export const ROUTE_LABELS = [...ENDPOINTS, 'openapi', 'healthz', 'readyz', 'other'] as const;
export type RouteLabel = (typeof ROUTE_LABELS)[number];

export type KeyedRoute = Extract<Route, { readonly endpoint: Endpoint }>;

/** The same endpoints answer below each of these. */
export const BASE_PATHS = ['', '/database/api/npm', '/database/api/beta'] as const;

const SLASH = 0x2f;
const SCOPED_TYPES: readonly string[] = PRODUCT_TYPE_TABLE.filter(({ hasScopes }) => hasScopes).map(
  ({ name }) => name,
);
const SCOPE = /^(?:@|%40)(?!.*%2f)/i;
const BASES_BEGIN = 'database/';
/** Those that are not empty, as they stand after the first slash, each with a slash behind it. */
const BASES = BASE_PATHS.filter((base) => base !== '').map((base) => `${base.slice(1)}/`);
const NOT_FOUND: Route = { kind: 'not-found' };

export function findRoute(method: string, path: string): Route {
  if (path.charCodeAt(0) !== SLASH) return NOT_FOUND;
  const start = endpointAt(path);
  const end = partEnd(path, start);
  const name = path.slice(start, end);
  const route = findRead(name, path, end);
  if (route !== undefined) {
    return method === 'GET' || method === 'HEAD' ? route : { kind: 'wrong-method', allow: 'GET, HEAD' };
  }
  if (name !== 'batch' || end < path.length) return NOT_FOUND;
  return method === 'POST' ? { kind: 'batch', endpoint: 'batch' } : { kind: 'wrong-method', allow: 'POST' };
}

/** Where the part that begins at `start` ends: at the next slash or with the path. */
function partEnd(path: string, start: number): number {
  const slash = path.indexOf('/', start);
  return slash < 0 ? path.length : slash;
}

/** The route of an endpoint's name and what follows it in the path, from `end` on. */
function findRead(name: string, path: string, end: number): Route | undefined {
  const isWhole = end === path.length;
  switch (name) {
    case 'product':
      return isWhole ? undefined : findProduct(path, end + 1);
    case 'all':
    case 'latest':
      return isWhole ? { kind: 'listing', endpoint: name } : undefined;
    case 'vulnerability':
      return !isWhole && partEnd(path, end + 1) === path.length
        ? { kind: 'vulnerability', endpoint: 'vulnerability', id: path.slice(end + 1) }
        : undefined;
    case 'openapi.json':
      return isWhole ? { kind: 'openapi' } : undefined;
    case 'healthz':
    case 'readyz':
      return isWhole ? { kind: name } : undefined;
    default:
      return undefined;
  }
}

/** {type}/{name}/{version}[/exists] from `start` on, where an npm name may be a bare `@scope/pkg` of two parts. */
function findProduct(path: string, start: number): Route | undefined {
  const typeEnd = partEnd(path, start);
  const type = path.slice(start, typeEnd);
  let nameEnd = partEnd(path, typeEnd + 1);
  if (nameEnd >= path.length) return undefined;
  // `@foo` without a slash is no npm name, so a scope that carries no encoded slash always begins a pair.
  const pairEnd = partEnd(path, nameEnd + 1);
  const isScoped =
    SCOPED_TYPES.includes(type) && pairEnd < path.length && SCOPE.test(path.slice(typeEnd + 1, nameEnd));
  if (isScoped) nameEnd = pairEnd;
  const versionEnd = isScoped ? partEnd(path, nameEnd + 1) : pairEnd;
  const isExists = versionEnd < path.length;
  if (isExists && path.slice(versionEnd) !== '/exists') return undefined;
  return {
    kind: 'product',
    endpoint: isExists ? 'exists' : 'product',
    type,
    name: path.slice(typeEnd + 1, nameEnd),
    version: path.slice(nameEnd + 1, versionEnd),
  };
}

/** Where the endpoint's name begins: after the base path, and slashes doubled where a client joined base and path. */
function endpointAt(path: string): number {
  const first = afterSlashes(path, 0);
  if (!path.startsWith(BASES_BEGIN, first)) return first;
  const base = BASES.find((each) => path.startsWith(each, first));
  return base === undefined ? first : afterSlashes(path, first + base.length - 1);
}

/** The place after the slashes at `start`; `start` itself where there are none. */
function afterSlashes(path: string, start: number): number {
  let at = start;
  while (path.charCodeAt(at) === SLASH) at++;
  return at;
}
