// What the OpenAPI parts of several dialects consist of: how a key is sent, the headers of replies, parameters, and the
// answers from data. Refusals are in openapi-refusals.ts, the words of schemas in schema-words.ts.

import type {
  Header,
  MediaType,
  Parameter,
  Ref,
  RequestBody,
  Response,
  Schema,
  SecurityRequirement,
} from '../http/openapi/model.ts';

/** Either way to send a key. */
export const KEY_SECURITY: readonly SecurityRequirement[] = [{ PSKey: [] }, { Bearer: [] }];

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

/** With a 415 from routes that decode bodies. */
export const acceptEncoding: Header = {
  description: 'The content codings that a body may have.',
  required: true,
  schema: { type: 'string', minLength: 1 },
};

/** Parameters that routes of any dialect may take. */
export const sharedParameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` received before; the answer is 304 when nothing changed since.',
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your name for the request; echoed, and logged with errors.',
    schema: { type: 'string' },
  },
} as const satisfies { readonly [name: string]: Parameter };

/** A header of `headers`. All replies of the service have the same. */
export function headerRef(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

export function parameterRefs(...names: readonly string[]): readonly Ref[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export function responseRef(name: string): Ref {
  return { $ref: `#/components/responses/${name}` };
}

export const echoedId = { 'X-Request-Id': headerRef('EchoedRequestId') };
/** The headers of a reply to a caller who got past the rate limit. */
export const limitHeaders = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  Warning: headerRef('Warning'),
};
const revalidated = { 'Cache-Control': headerRef('CacheControl') };
const cacheHeaders = { ETag: headerRef('ETag'), ...revalidated };

/** The 200 of an operation that answers from the data; only a GET has a tag. */
export function dataResponse(
  description: string,
  schema: Schema | Ref,
  more: {
    readonly examples?: MediaType['examples'];
    readonly headers?: Response['headers'];
    readonly mediaType?: string;
    readonly isTagged?: boolean;
  } = {},
): Response {
  const { examples, headers: own, mediaType = 'application/json', isTagged = true } = more;
  return {
    description,
    headers: { ...echoedId, ...limitHeaders, ...(isTagged ? cacheHeaders : revalidated), ...own },
    content: { [mediaType]: examples === undefined ? { schema } : { schema, examples } },
  };
}

export const notModified: Response = {
  description: 'Nothing changed since the answer whose `ETag` came as `If-None-Match`.',
  headers: { ...echoedId, ...limitHeaders, ...cacheHeaders },
};

/** The JSON body that an operation takes. */
export function jsonBody(
  description: string,
  schema: Schema | Ref,
  examples?: MediaType['examples'],
): RequestBody {
  const content = examples === undefined ? { schema } : { schema, examples };
  return { description, required: true, content: { 'application/json': content } };
}
