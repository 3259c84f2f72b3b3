// What the OpenAPI parts of several dialects consist of: how a key is sent, the headers of replies,
// parameters, and the answers from data. Refusals are in openapi-refusals.ts, the words of schemas in
// schema-words.ts.

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
import * as s from './schema-words.ts';

const JSON_TYPE = 'application/json';

/** Either way to send a key. */
export const KEY_SECURITY: readonly SecurityRequirement[] = [{ PSKey: [] }, { Bearer: [] }];

const requestId: Header = {
  description: 'The request’s own `X-Request-Id` when it sent a sane one; errors always carry one.',
  schema: s.someText,
};
const rateLimit: Header = {
  description:
    'What is left: `r` requests now, all of them again after `t` seconds. Of a refusal `t` is what `Retry-After` says. Limited keys only.',
  schema: s.matching('^"[A-Za-z0-9_-]+";r=\\d+(;t=\\d+)?$'),
};
const rateLimitPolicy: Header = {
  description: 'The limit: `q` requests per `w` seconds. Limited keys only.',
  schema: s.matching('^"[A-Za-z0-9_-]+";q=\\d+;w=\\d+(;[a-z][a-z0-9_.*-]*=\\d+)*$'),
};

/** A header that no reply of its response is without. */
export function sentAlways(description: string, schema: Schema): Header {
  return { description, required: true, schema };
}

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
    schema: s.exactly('110 - "Response is Stale"'),
  },
  ETag: sentAlways(
    'Changes when the data behind the answer may have. The same on every replica.',
    s.matching('^(W/)?"[^"]*"$'),
  ),
  CacheControl: sentAlways('Keep the answer, but ask again before using it.', s.exactly('private, no-cache')),
  UnknownEcosystems: {
    description:
      'What was asked about and nobody knows here: ecosystems, types and purl types (`pkg:TYPE`) of which the snapshot has no advisory at all. Their answer is empty, which does not mean that nothing is affected.',
    schema: s.someText,
  },
  IgnoredVersionParts: {
    description:
      'The part of the version that did not count, such as the local part `+cu118` of a version of PyPI: advisories are about the release. Where one names the local version, that counts too.',
    schema: s.someText,
  },
  Snapshot: {
    description:
      'The id of the snapshot that the answer is from; a later request that names it as `?snapshot=` gets an answer from the same data.',
    schema: s.matching('^[0-9a-f]{16}$'),
  },
  RetryAfter: sentAlways('Whole seconds to wait before the next attempt.', s.positive),
  Allow: sentAlways('The methods the path has.', s.matching('^[A-Z]+(, ?[A-Z]+)*$')),
  WwwAuthenticate: sentAlways('How to send a key.', s.oneOfWords(['Bearer', 'Basic realm="vulndex"'])),
};

/** With a 415 from routes that decode bodies. */
export const acceptEncoding: Header = sentAlways('The content codings that a body may have.', s.someText);

/** Parameters that routes of any dialect may take. */
export const sharedParameters = {
  IfNoneMatch: inHeader(
    'If-None-Match',
    'An `ETag` received before; the answer is 304 when nothing changed since.',
  ),
  RequestId: inHeader('X-Request-Id', 'Your name for the request; echoed, and logged with errors.'),
};

function inHeader(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: s.text };
}

/** A variable of the path. */
export function inPath(name: string, description: string, schema: Schema = s.someText): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

export function inQuery(
  name: string,
  description: string,
  schema: Schema,
  more: Partial<Pick<Parameter, 'required' | 'allowEmptyValue'>> = {},
): Parameter {
  return { name, in: 'query', ...more, description, schema };
}

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
const revalidated = {
  'Cache-Control': headerRef('CacheControl'),
  'Vulndex-Snapshot': headerRef('Snapshot'),
  'Vulndex-Unknown-Ecosystems': headerRef('UnknownEcosystems'),
  'Vulndex-Ignored-Version-Parts': headerRef('IgnoredVersionParts'),
};
const cacheHeaders = { ETag: headerRef('ETag'), ...revalidated };

export function contentOf(
  mediaType: string,
  schema: Schema | Ref,
  examples?: MediaType['examples'],
): RequestBody['content'] {
  return { [mediaType]: examples === undefined ? { schema } : { schema, examples } };
}

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
  const { headers: own, mediaType = JSON_TYPE, isTagged = true } = more;
  return {
    description,
    headers: { ...echoedId, ...limitHeaders, ...(isTagged ? cacheHeaders : revalidated), ...own },
    content: contentOf(mediaType, schema, more.examples),
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
  return { description, required: true, content: contentOf(JSON_TYPE, schema, examples) };
}
