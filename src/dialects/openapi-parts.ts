// What the OpenAPI parts of several dialects consist of: the headers of replies, and objects without other members.

import type { Header, Ref, Schema } from '../http/openapi/model.ts';

const requestId: Header = {
  description: 'The request’s own `X-Request-Id` when it sent a sane one; errors always carry one.',
  schema: { type: 'string', minLength: 1 },
};
const rateLimit: Header = {
  description:
    'What is left: `r` requests now, all of them again after `t` seconds. Of a refusal `t` is what `Retry-After` says. Limited keys only.',
  schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+";r=\\d+(;t=\\d+)?$' },
};
const rateLimitPolicy: Header = {
  description: 'The limit: `q` requests per `w` seconds. Limited keys only.',
  schema: {
    type: 'string',
    pattern: '^"[A-Za-z0-9_-]+";q=\\d+;w=\\d+(;[a-z][a-z0-9_.*-]*=\\d+)*$',
  },
};

/** The headers of replies in any dialect. */
export const headers: { readonly [name: string]: Header } = {
  EchoedRequestId: requestId,
  RequestId: { ...requestId, required: true },
  RateLimit: rateLimit,
  RateLimitPolicy: rateLimitPolicy,
  SpentRateLimit: { ...rateLimit, required: true },
  SpentRateLimitPolicy: { ...rateLimitPolicy, required: true },
  Warning: {
    description: 'Sent while the data is older than the operator allows; the answer is as good as the data.',
    schema: { type: 'string', const: '110 - "Response is Stale"' },
  },
  ETag: {
    description: 'Changes when the data behind the answer may have. The same on every replica.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  CacheControl: {
    description: 'Keep the answer, but ask again before using it.',
    required: true,
    schema: { type: 'string', const: 'private, no-cache' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: {
    description: 'The methods the path has.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, ?[A-Z]+)*$' },
  },
  WwwAuthenticate: {
    description: 'The standard way to send a key.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
};

/** A header of `headers`. All replies of the service have the same. */
export function headerRef(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

/** The headers of a reply to a caller who got past the rate limit. */
export const limitHeaders = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  Warning: headerRef('Warning'),
};
export const cacheHeaders = { ETag: headerRef('ETag'), 'Cache-Control': headerRef('CacheControl') };

export function schemaRef(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object that has these members, apart from the optional ones, and no others. */
export function closedObject(
  properties: { readonly [name: string]: Schema | Ref },
  optional: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
    additionalProperties: false,
  };
}

/** The same, or null. */
export function closedObjectOrNull(properties: { readonly [name: string]: Schema | Ref }): Schema {
  return { ...closedObject(properties), type: ['object', 'null'] };
}
