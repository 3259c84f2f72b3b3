// Refusals in the OpenAPI document. Which problems every route can have, when, and which headers come with
// them, is listed here once; a dialect says how the body of an error looks, and an operation only what else
// it refuses. The document (http/openapi/document.ts) adds to each operation those that a route of its kind
// can have.

import type { MediaType, Ref, Response, Schema } from '../http/openapi/model.ts';
import type { ServiceProblemCode } from '../http/replies/problems.ts';
import { contentOf, headerRef, limitHeaders, responseRef } from './openapi-parts.ts';

/** How a dialect tells an error. */
export interface ErrorFormat<Code extends string = string> {
  readonly mediaType: string;
  /** Of the body with one of these codes. Requires: at least one. */
  schema(codes: readonly Code[]): Schema | Ref;
}

/** What a refusal has apart from the form of its body. */
interface Refusal {
  readonly description: string;
  readonly codes: readonly ServiceProblemCode[];
  /** Beside the request's id. */
  readonly headers: Response['headers'];
  readonly examples?: MediaType['examples'];
}

/** By status: what every route with a key refuses, and the name of the response where it is a component. */
const SERVICE_REFUSALS = {
  '401': {
    name: 'Unauthenticated',
    description: 'No key, or one that is unknown, expired or disabled.',
    codes: ['missing_key', 'invalid_key'],
    headers: { 'WWW-Authenticate': headerRef('WwwAuthenticate') },
  },
  '403': {
    name: 'Forbidden',
    description: 'The key’s tier does not include this endpoint.',
    codes: ['forbidden_endpoint'],
    headers: {},
  },
  '405': {
    name: 'MethodNotAllowed',
    description: 'What every other method on this path answers.',
    codes: ['method_not_allowed'],
    headers: { Allow: headerRef('Allow') },
  },
  '412': {
    name: 'UnknownSnapshot',
    description: 'The snapshot in the parameter `snapshot` is not held here, or no longer.',
    codes: ['unknown_snapshot'],
    headers: limitHeaders,
  },
  '429': {
    name: 'RateLimited',
    description:
      'The key’s quota, or its burst, is used up. Waiting `Retry-After` seconds admits the request.',
    codes: ['rate_limited'],
    headers: {
      'Retry-After': headerRef('RetryAfter'),
      RateLimit: headerRef('SpentRateLimit'),
      'RateLimit-Policy': headerRef('SpentRateLimitPolicy'),
      Warning: headerRef('Warning'),
    },
  },
  '500': {
    name: 'InternalError',
    description: 'A fault of the server; quote `request_id` when reporting it.',
    codes: ['internal_error'],
    headers: {},
  },
  '503': {
    name: 'Unavailable',
    description: 'No data is loaded yet, the server is shutting down, or it has too much to do.',
    codes: ['no_snapshot', 'draining', 'overloaded'],
    headers: { 'Retry-After': headerRef('RetryAfter') },
  },
} as const satisfies { readonly [status: string]: Refusal & { readonly name: string } };

type RefusedStatus = keyof typeof SERVICE_REFUSALS;
// The table has exactly these keys.
const STATUSES = Object.keys(SERVICE_REFUSALS) as readonly RefusedStatus[];

/** A refusal of one operation. Without headers in `more`, the caller got past the rate limit. */
export function refusal<Code extends string>(
  format: ErrorFormat<Code>,
  description: string,
  codes: readonly Code[],
  more: Partial<Pick<Refusal, 'headers' | 'examples'>> = {},
): Response {
  const { headers = limitHeaders, examples } = more;
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...headers },
    content: contentOf(format.mediaType, format.schema(codes), examples),
  };
}

/** What the service refuses, in the format of a dialect, which may say some of it in other words. */
export function serviceRefusals(
  format: ErrorFormat<ServiceProblemCode>,
  changes: Partial<Record<RefusedStatus, Partial<Refusal>>> = {},
): Readonly<Record<RefusedStatus, Response>> {
  const responses = STATUSES.map((status) => {
    const { description, codes, ...more }: Refusal = { ...SERVICE_REFUSALS[status], ...changes[status] };
    return [status, refusal(format, description, codes, more)];
  });
  return Object.fromEntries(responses);
}

/** The 503 of a file that is made once per snapshot. */
export function notYetPrepared<Code extends string = ServiceProblemCode>(
  format: ErrorFormat<Code | ServiceProblemCode>,
  own: readonly Code[] = [],
): Response {
  return refusal(
    format,
    'No data is loaded yet, the file is being made, or the server is shutting down.',
    ['no_snapshot', 'draining', 'preparing', ...own],
    { headers: SERVICE_REFUSALS[503].headers },
  );
}

/** References to them, for a dialect that has them as components named `<prefix>Forbidden` and so on. */
export function serviceRefusalRefs(prefix: string): Readonly<Record<RefusedStatus, Ref>> {
  return Object.fromEntries(
    STATUSES.map((status) => [status, responseRef(prefix + SERVICE_REFUSALS[status].name)]),
  ) as Readonly<Record<RefusedStatus, Ref>>; // one for each status
}
