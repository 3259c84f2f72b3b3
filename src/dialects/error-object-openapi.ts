// The OpenAPI part of dialects that send errors as error-object.ts formats them: the responses that each of their
// operations can have beside its own.

import type { Header, MediaType, Ref, Response, Schema } from '../http/openapi/model.ts';
import { cacheHeaders, headerRef, limitHeaders } from './openapi-parts.ts';

const text: Schema = { type: 'string', minLength: 1 };

const parameterErrors: Schema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: { parameter: text, message: text },
    required: ['parameter', 'message'],
    additionalProperties: false,
  },
};

const echoedId = { 'X-Request-Id': headerRef('EchoedRequestId') };

/** The 200 of an operation that answers from the data. */
export function dataResponse(
  description: string,
  schema: Schema | Ref,
  more: { readonly examples?: MediaType['examples']; readonly headers?: Response['headers'] } = {},
): Response {
  const { examples } = more;
  return {
    description,
    headers: { ...echoedId, ...limitHeaders, ...cacheHeaders, ...more.headers },
    content: { 'application/json': examples === undefined ? { schema } : { schema, examples } },
  };
}

export const notModified: Response = {
  description: 'Nothing changed since the answer whose `ETag` came as `If-None-Match`.',
  headers: { ...echoedId, ...limitHeaders, ...cacheHeaders },
};

/** A response with one of these codes. */
export function errorResponse(
  description: string,
  codes: readonly string[],
  extraHeaders: { readonly [name: string]: Header | Ref } = {},
): Response {
  const properties: { [name: string]: Schema } = {
    error: { ...text, description: 'One sentence, to be shown or logged.' },
    code: { type: 'string', enum: [...codes] },
    request_id: text,
  };
  const required = Object.keys(properties);
  if (codes.some((code) => code.startsWith('invalid_') || code === 'ambiguous_id')) {
    properties.errors = { ...parameterErrors, description: 'One entry per bad parameter.' };
  }
  if (codes.includes('ambiguous_id')) {
    properties.ids = { type: 'array', minItems: 2, items: { type: 'integer', minimum: 1 } };
  }
  if (codes.includes('unknown_snapshot')) {
    properties.snapshots = { type: 'array', minItems: 1, items: text, description: 'Those that are held.' };
  }
  const schema: Schema = { type: 'object', properties, required, additionalProperties: false };
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...extraHeaders },
    content: { 'application/json': { schema } },
  };
}

/** The same for a caller who got past the rate limit. */
export function refusedResponse(description: string, codes: readonly string[]): Response {
  return errorResponse(description, codes, limitHeaders);
}

/** What every operation with a key can answer. `isPrepared`: from files that are made once per snapshot. */
export function keyedResponses(isPrepared = false): { readonly [status: string]: Response } {
  return {
    '401': errorResponse(
      'No key, or one that is unknown, expired or disabled.',
      ['missing_key', 'invalid_key'],
      { 'WWW-Authenticate': headerRef('WwwAuthenticate') },
    ),
    '403': errorResponse('The key’s tier does not include this endpoint.', ['forbidden_endpoint']),
    '405': errorResponse('What every other method on this path answers.', ['method_not_allowed'], {
      Allow: headerRef('Allow'),
    }),
    '412': refusedResponse('The snapshot in the parameter `snapshot` is not held here, or no longer.', [
      'unknown_snapshot',
    ]),
    '429': errorResponse(
      'The key’s quota, or its burst, is used up. Waiting `Retry-After` seconds admits the request.',
      ['rate_limited'],
      {
        'Retry-After': headerRef('RetryAfter'),
        RateLimit: headerRef('SpentRateLimit'),
        'RateLimit-Policy': headerRef('SpentRateLimitPolicy'),
        Warning: headerRef('Warning'),
      },
    ),
    '500': errorResponse('A fault of the server; quote `request_id` when reporting it.', ['internal_error']),
    '503': errorResponse(
      `No data is loaded yet, ${isPrepared ? 'the file is being made, ' : ''}or the server is shutting down.`,
      ['no_snapshot', 'draining', ...(isPrepared ? ['preparing'] : [])],
      { 'Retry-After': headerRef('RetryAfter') },
    ),
  };
}

/** What any path below the mount that is not in the document answers. */
export const unknownPath: Response = errorResponse('No such path.', ['not_found']);
