// The path table: what a method and a path mean. Parts of a path are handed on as sent; judging and decoding
// them is the handlers'.

import { ENDPOINTS, type Endpoint } from '../access/endpoints.ts';

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
const BASES_BEGIN = 'database/';
/** Those that are not empty, as they stand after the first slash, each with a slash behind it. */
const BASES = BASE_PATHS.filter((base) => base !== '').map((base) => `${base.slice(1)}/`);
const NOT_FOUND: Route = { kind: 'not-found' };

export function findRoute(method: string, path: string): Route {
  if (path.charCodeAt(0) !== SLASH) return NOT_FOUND;
  const parts = splitPath(path, endpointAt(path));
  const route = findRead(parts);
  if (route !== undefined) {
    return method === 'GET' || method === 'HEAD' ? route : { kind: 'wrong-method', allow: 'GET, HEAD' };
  }
  if (parts.length !== 1 || parts[0] !== 'batch') return NOT_FOUND;
  return method === 'POST' ? { kind: 'batch', endpoint: 'batch' } : { kind: 'wrong-method', allow: 'POST' };
}

/** The parts between slashes from `start` on. Half the cost of String.split. */
function splitPath(path: string, start: number): readonly string[] {
  const parts: string[] = [];
  let at = start;
  for (let slash = path.indexOf('/', at); slash >= 0; slash = path.indexOf('/', at)) {
    parts.push(path.slice(at, slash));
    at = slash + 1;
  }
  parts.push(path.slice(at));
  return parts;
}

function findRead(parts: readonly string[]): Route | undefined {
  switch (parts[0]) {
    case 'product':
      return findProduct(parts);
    case 'all':
    case 'latest':
      return parts.length === 1 ? { kind: 'listing', endpoint: parts[0] } : undefined;
    case 'vulnerability':
      return parts.length === 2
        ? { kind: 'vulnerability', endpoint: 'vulnerability', id: parts[1] }
        : undefined;
    case 'openapi.json':
      return parts.length === 1 ? { kind: 'openapi' } : undefined;
    case 'healthz':
    case 'readyz':
      return parts.length === 1 ? { kind: parts[0] } : undefined;
    default:
      return undefined;
  }
}

/** product/{type}/{name}/{version}[/exists], where an npm name may be a bare `@scope/pkg` of two parts. */
function findProduct(parts: readonly string[]): Route | undefined {
  const type = parts[1];
  // `@foo` without a slash is no npm name, so a scope that carries no encoded slash always begins a pair.
  const isScoped = parts.length > 4 && type === 'npm' && /^(?:@|%40)(?!.*%2f)/i.test(parts[2]);
  const versionAt = isScoped ? 4 : 3;
  const name = isScoped ? `${parts[2]}/${parts[3]}` : parts[2];
  if (parts.length === versionAt + 1) {
    return { kind: 'product', endpoint: 'product', type, name, version: parts[versionAt] };
  }
  return parts.length === versionAt + 2 && parts[versionAt + 1] === 'exists'
    ? { kind: 'product', endpoint: 'exists', type, name, version: parts[versionAt] }
    : undefined;
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
