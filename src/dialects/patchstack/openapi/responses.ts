// The responses that operations share, with their headers and when each is sent.

import type { Example, MediaType, Ref, Response, Schema } from '../../../http/openapi/model.ts';
import { typeOf } from '../../../http/replies/problems.ts';
import { cacheHeaders, headerRef, limitHeaders } from '../../openapi-parts.ts';
import { type ProblemCode, statusOf, titleOf } from '../problems.ts';
import { problemContent } from './problem-schemas.ts';

/** The 200 of an endpoint that answers from the data; only a GET has a validator. */
export function dataResponse(
  description: string,
  schema: Schema | Ref,
  examples: MediaType['examples'],
  options: { readonly validator: boolean } = { validator: true },
): Response {
  return {
    description,
    headers: {
      'X-Request-Id': headerRef('EchoedRequestId'),
      ...limitHeaders,
      ...(options.validator ? cacheHeaders : { 'Cache-Control': headerRef('CacheControl') }),
    },
    content: { 'application/json': examples === undefined ? { schema } : { schema, examples } },
  };
}

/** The 200 of an endpoint that needs neither key nor data. */
export function openResponse(
  description: string,
  schema: Schema | Ref,
  more: { readonly [name: string]: Ref } = {},
): Response {
  return {
    description,
    headers: { 'X-Request-Id': headerRef('EchoedRequestId'), ...more },
    content: { 'application/json': { schema } },
  };
}

function problemExample(code: ProblemCode, detail: string, lists: { [key: string]: unknown } = {}): Example {
  const head = { type: typeOf(code), title: titleOf(code), status: statusOf(code) };
  return { value: { ...head, detail, code, request_id: '5f0c9d7ab3e1', ...lists } };
}

function problemResponse(
  description: string,
  codes: readonly ProblemCode[],
  extraHeaders: { readonly [name: string]: Ref } = {},
  examples?: MediaType['examples'],
): Response {
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...extraHeaders },
    content: problemContent(codes, examples),
  };
}

export const responses: { readonly [name: string]: Response } = {
  NotModified: {
    description:
      'Nothing changed since the answer whose `ETag` came as `If-None-Match`: keep using that one.',
    headers: { 'X-Request-Id': headerRef('EchoedRequestId'), ...limitHeaders, ...cacheHeaders },
  },
  DocumentNotModified: {
    description: 'The document whose `ETag` came as `If-None-Match` is still the one.',
    headers: { 'X-Request-Id': headerRef('EchoedRequestId'), ETag: headerRef('ETag') },
  },
  InvalidBody: problemResponse('The body is not JSON.', ['invalid_body'], limitHeaders),
  Unauthenticated: problemResponse(
    'No key, or one that is unknown, expired or disabled.',
    ['missing_key', 'invalid_key'],
    { 'WWW-Authenticate': headerRef('WwwAuthenticate') },
  ),
  Forbidden: problemResponse('The key’s tier does not include this endpoint.', ['forbidden_endpoint']),
  NotFound: problemResponse('No such path. What any path outside this document answers.', ['not_found']),
  UnknownVulnerability: problemResponse(
    'No vulnerability has this id.',
    ['unknown_vulnerability'],
    limitHeaders,
  ),
  UnknownSnapshot: problemResponse(
    'No such snapshot is held here, or no longer: `snapshots` lists those that are.',
    ['unknown_snapshot'],
    limitHeaders,
    {
      released: problemExample(
        'unknown_snapshot',
        'Snapshot 0123456789abcdef is not held here. There is 89abcdef01234567.',
        { snapshots: ['89abcdef01234567'] },
      ),
    },
  ),
  NotListedYet: problemResponse(
    'No data is loaded yet, what changed is still being computed, or the server is shutting down. Try again.',
    ['no_snapshot', 'preparing', 'draining'],
    { ...limitHeaders, 'Retry-After': headerRef('RetryAfter') },
  ),
  NotCountedYet: problemResponse(
    'No data is loaded yet, it is still being counted, or the server is shutting down. Try again.',
    ['no_snapshot', 'preparing', 'draining'],
    { ...limitHeaders, 'Retry-After': headerRef('RetryAfter') },
  ),
  MethodNotAllowed: problemResponse('What every other method on this path answers.', ['method_not_allowed'], {
    Allow: headerRef('Allow'),
  }),
  BodyTooLarge: problemResponse('The body is larger than 64 KiB.', ['body_too_large'], limitHeaders),
  InvalidListing: problemResponse(
    'A parameter outside its domain or given twice, `page` with `cursor`, or a cursor that was never handed out.',
    ['invalid_parameter', 'invalid_cursor'],
    limitHeaders,
    {
      perPage: problemExample('invalid_parameter', 'per_page must be a whole number from 1 to 500.', {
        errors: [{ parameter: 'per_page', message: 'must be a whole number from 1 to 500' }],
      }),
    },
  ),
  InvalidParameter: problemResponse(
    'A part of the path or a parameter outside its domain, or a parameter given twice.',
    ['invalid_parameter'],
    limitHeaders,
  ),
  InvalidBatch: problemResponse(
    'The body is not an array of at most 50 well-formed items, or a parameter is outside its domain.',
    ['invalid_batch', 'invalid_parameter'],
    limitHeaders,
    {
      version: problemExample('invalid_batch', 'items[3].version is missing.', {
        errors: [{ parameter: 'items[3].version', message: 'is missing' }],
      }),
    },
  ),
  InvalidId: problemResponse(
    'The id is malformed, or several vulnerabilities share it: then `ids` lists them.',
    ['invalid_parameter', 'ambiguous_id'],
    limitHeaders,
    {
      ambiguous: problemExample('ambiguous_id', 'CVE-2026-900001 names 2 vulnerabilities.', {
        errors: [{ parameter: 'id', message: 'names 2 vulnerabilities; ask for one by number' }],
        ids: [912040, 912034],
      }),
    },
  ),
  RateLimited: problemResponse(
    'The key’s quota, or its burst, is used up. Waiting `Retry-After` seconds admits the request.',
    ['rate_limited'],
    {
      'Retry-After': headerRef('RetryAfter'),
      RateLimit: headerRef('SpentRateLimit'),
      'RateLimit-Policy': headerRef('SpentRateLimitPolicy'),
      Warning: headerRef('Warning'),
    },
    {
      daily: problemExample(
        'rate_limited',
        'The quota of 5000 requests per 86400 s is used up; try again in 18 s.',
      ),
    },
  ),
  InternalError: problemResponse('A fault of the server; quote `request_id` when reporting it.', [
    'internal_error',
  ]),
  Unavailable: problemResponse(
    'No data is loaded yet, or the server is shutting down. Try again, or another replica.',
    ['no_snapshot', 'draining'],
    { 'Retry-After': headerRef('RetryAfter') },
  ),
  NotReady: problemResponse(
    'No data is loaded yet, files are still being prepared and the operator wants them first, the data is older than the ' +
      'operator allows, no worker is listening (told by the operations listener only), or the server is shutting down.',
    ['no_snapshot', 'preparing', 'draining', 'no_worker', 'snapshot_too_old'],
    { 'Retry-After': headerRef('RetryAfter') },
  ),
};
