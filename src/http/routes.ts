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

const NOT_FOUND: Route = { kind: 'not-found' };

export function findRoute(method: string, path: string): Route {
  const parts = splitPath(withoutBase(path));
  const route = findRead(parts);
  if (route !== undefined) {
    return method === 'GET' || method === 'HEAD' ? route : { kind: 'wrong-method', allow: 'GET, HEAD' };
  }
  if (parts.length !== 2 || parts[1] !== 'batch') return NOT_FOUND;
  return method === 'POST' ? { kind: 'batch', endpoint: 'batch' } : { kind: 'wrong-method', allow: 'POST' };
}

/** The parts between slashes, the first of them what stands before the first. Half the cost of String.split. */
function splitPath(path: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', start)) {
    parts.push(path.slice(start, slash));
    start = slash + 1;
  }
  parts.push(path.slice(start));
  return parts;
}

function findRead(parts: readonly string[]): Route | undefined {
  switch (parts[1]) {
    case 'product':
      return findProduct(parts);
    case 'all':
    case 'latest':
      return parts.length === 2 ? { kind: 'listing', endpoint: parts[1] } : undefined;
    case 'vulnerability':
      return parts.length === 3
        ? { kind: 'vulnerability', endpoint: 'vulnerability', id: parts[2] }
        : undefined;
    case 'openapi.json':
      return parts.length === 2 ? { kind: 'openapi' } : undefined;
    case 'healthz':
    case 'readyz':
      return parts.length === 2 ? { kind: parts[1] } : undefined;
    default:
      return undefined;
  }
}

/** /product/{type}/{name}/{version}[/exists], where an npm name may be a bare `@scope/pkg` of two parts. */
function findProduct(parts: readonly string[]): Route | undefined {
  const type = parts[2];
  // `@foo` without a slash is no npm name, so a scope that carries no encoded slash always begins a pair.
  const isScoped = type === 'npm' && parts.length > 5 && /^(?:@|%40)(?!.*%2f)/i.test(parts[3]);
  const versionAt = isScoped ? 5 : 4;
  const name = isScoped ? `${parts[3]}/${parts[4]}` : parts[3];
  if (parts.length === versionAt + 1) {
    return { kind: 'product', endpoint: 'product', type, name, version: parts[versionAt] };
  }
  return parts.length === versionAt + 2 && parts[versionAt + 1] === 'exists'
    ? { kind: 'product', endpoint: 'exists', type, name, version: parts[versionAt] }
    : undefined;
}

/** Drops the base path, and slashes that a client doubled where it joined its base URL with a path. */
function withoutBase(path: string): string {
  let rest = collapseLeading(path);
  for (const base of BASE_PATHS) {
    if (base !== '' && rest.startsWith(base) && rest[base.length] === '/') {
      rest = collapseLeading(rest.slice(base.length));
      break;
    }
  }
  return rest;
}

function collapseLeading(path: string): string {
  let start = 0;
  while (path[start] === '/' && path[start + 1] === '/') start++;
  return start === 0 ? path : path.slice(start);
}
