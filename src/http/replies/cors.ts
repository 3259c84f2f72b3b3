// Which pages of other origins may read our replies: the policy, the answer to a preflight, and the headers
// of every other reply. routes.ts knows which paths and methods exist.
//
// A page's own code sends the key in a header, never in a cookie, so nothing here allows credentials.

import type { RequestView } from '../transport/request-view.ts';
import type { ReplyHeader } from './reply-headers.ts';
import type { Reply } from './responses.ts';

/** Whose pages may read replies: any origin's, or those of the listed ones. Without a policy, none. */
export type CorsPolicy =
  | { readonly kind: 'any' }
  | { readonly kind: 'listed'; readonly origins: ReadonlySet<string> };

/** In addition to the headers from which a dialect reads keys. */
const REQUEST_HEADERS = ['Content-Type', 'If-None-Match', 'X-Request-Id'];
// Seconds for which a browser may cache a preflight: a changed policy takes effect that late.
const MAX_AGE: ReplyHeader = ['Access-Control-Max-Age', '600'];
/**
 * What pages may read beside what Fetch lets them (2.2.2): without it, a page would take an incomplete answer
 * for the whole one. A test holds it against the headers in the OpenAPI document.
 */
const EXPOSED: ReplyHeader = [
  'Access-Control-Expose-Headers',
  'Accept-Encoding, Allow, ETag, RateLimit, RateLimit-Policy, Retry-After, Vulndex-Ambiguous-Slugs, ' +
    'Vulndex-Ignored-Purl-Parts, Vulndex-Ignored-Version-Parts, Vulndex-Snapshot, Vulndex-Unknown-Ecosystems, ' +
    'Vulndex-Unknown-Lists, Vulndex-Unread-Names, Vulndex-Unread-Versions, WWW-Authenticate, Warning, X-Goog-Hash, ' +
    'X-Request-Id, npm-notice',
];
// Also on replies to requests without an origin: a cache must not serve those to a page.
const VARY: ReplyHeader = ['Vary', 'Origin'];
const ANYBODY: ReplyHeader = ['Access-Control-Allow-Origin', '*'];

/**
 * The policy of `--cors-origin`, or undefined for an empty list. Requires: `*` alone, or
 * origins as browsers send them.
 */
export function corsPolicy(origins: readonly string[]): CorsPolicy | undefined {
  if (origins.length === 0) return undefined;
  return origins[0] === '*' ? { kind: 'any' } : { kind: 'listed', origins: new Set(origins) };
}

/** Whether pages of this origin may read replies. */
export function mayRead(policy: CorsPolicy | undefined, origin: string): boolean {
  return policy !== undefined && (policy.kind === 'any' || policy.origins.has(origin));
}

/** The headers of every reply to a request with this origin; '' for a request that no browser page made. */
export function corsHeaders(policy: CorsPolicy, origin: string): readonly ReplyHeader[] {
  if (policy.kind === 'any') return [ANYBODY, EXPOSED]; // the same for every origin, so no Vary
  return mayRead(policy, origin) ? [['Access-Control-Allow-Origin', origin], EXPOSED, VARY] : [VARY];
}

/**
 * The additional headers of the answer to a preflight, for a path with the methods `allow` and keys in
 * `keyHeaders`. Undefined if the request is not a preflight, or its origin may not read replies: it is
 * then answered as without a policy.
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
  if (!isPreflight || !mayRead(policy, origin)) return undefined;
  // Listed one by one: to a browser, `*` does not include Authorization.
  const headers = [...keyHeaders, ...REQUEST_HEADERS].join(', ');
  return [['Access-Control-Allow-Methods', allow], ['Access-Control-Allow-Headers', headers], MAX_AGE];
}

export function withHeaders(reply: Reply, headers: readonly ReplyHeader[]): Reply {
  return { ...reply, ownHeaders: reply.ownHeaders.with(headers) };
}
