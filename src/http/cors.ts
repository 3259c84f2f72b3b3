// What a browser is told about reading our replies from another origin. Owns the policy, the answer to a preflight
// and the headers of every other reply; which paths and methods exist is the path table's.
//
// A key travels in a header that the page's own code sets, never in a cookie, so nothing here allows credentials.

import type { RequestView } from './request-view.ts';
import { addHeaders, type Reply, type ReplyHeader } from './responses.ts';

/** Whose pages may read: all of the web's, or those of listed origins. Without a policy, nobody's. */
export type CorsPolicy =
  | { readonly kind: 'any' }
  | { readonly kind: 'listed'; readonly origins: ReadonlySet<string> };

/** Besides those in which a dialect reads keys. */
const REQUEST_HEADERS = ['Content-Type', 'If-None-Match', 'X-Request-Id'];
// Seconds for which a browser may remember a preflight; a policy that changes is felt that late.
const MAX_AGE: ReplyHeader = ['Access-Control-Max-Age', '600'];
const EXPOSE: ReplyHeader = [
  'Access-Control-Expose-Headers',
  'ETag, RateLimit, RateLimit-Policy, Retry-After, Warning, X-Request-Id',
];
// Also on replies to requests without an origin: a cache must not hand those to a page.
const VARY: ReplyHeader = ['Vary', 'Origin'];
const ANYBODY: ReplyHeader = ['Access-Control-Allow-Origin', '*'];

/** The policy of `--cors-origin`, or undefined for an empty list. Requires: `*` alone, or origins as browsers send them. */
export function corsPolicy(origins: readonly string[]): CorsPolicy | undefined {
  if (origins.length === 0) return undefined;
  return origins[0] === '*' ? { kind: 'any' } : { kind: 'listed', origins: new Set(origins) };
}

/** The headers that go with every reply to a request of this origin; '' is a request that no browser page made. */
export function corsHeaders(policy: CorsPolicy, origin: string): readonly ReplyHeader[] {
  if (policy.kind === 'any') return [ANYBODY, EXPOSE]; // the same for everybody, so it varies with nothing
  return policy.origins.has(origin) ? [['Access-Control-Allow-Origin', origin], EXPOSE, VARY] : [VARY];
}

/**
 * What the answer to a preflight says besides, for a path that answers the methods `allow` and takes keys in
 * `keyHeaders`. Undefined when the request is no preflight or its origin may not read: it then gets what it would get
 * without a policy.
 */
export function preflightHeaders(
  policy: CorsPolicy,
  request: Pick<RequestView, 'method' | 'header'>,
  allow: string,
  keyHeaders: readonly string[],
): readonly ReplyHeader[] | undefined {
  const origin = request.header('origin');
  const isPreflight =
    request.method === 'OPTIONS' && origin !== '' && request.header('access-control-request-method') !== '';
  if (!isPreflight || (policy.kind === 'listed' && !policy.origins.has(origin))) return undefined;
  // Named one by one: a browser does not take `*` to mean Authorization.
  const headers = [...keyHeaders, ...REQUEST_HEADERS].join(', ');
  return [['Access-Control-Allow-Methods', allow], ['Access-Control-Allow-Headers', headers], MAX_AGE];
}

export function withHeaders(reply: Reply, headers: readonly ReplyHeader[]): Reply {
  return { ...reply, head: addHeaders(reply.head, headers) };
}
