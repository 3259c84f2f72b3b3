// The responses that operations share, with their headers and when each is sent.

import type { Example, MediaType, Ref, Response, Schema } from '../../../http/openapi/model.ts';
import { typeOf } from '../../../http/replies/problems.ts';
import { echoedId, headerRef, limitHeaders, notModified } from '../../openapi-parts.ts';
import { refusal, serviceRefusals } from '../../openapi-refusals.ts';
import { problemDetails } from '../../problem-details.ts';
import { PROBLEMS } from '../../request-problems.ts';
import type { ProblemCode } from '../problems.ts';

/** The 200 of an endpoint that needs neither key nor data. */
export function openResponse(
  description: string,
  schema: Schema | Ref,
  more: { readonly [name: string]: Ref } = {},
): Response {
  return {
    description,
    headers: { ...echoedId, ...more },
    content: { 'application/json': { schema } },
  };
}

function problemExample(code: ProblemCode, detail: string, lists: { [key: string]: unknown } = {}): Example {
  const { title, status } = PROBLEMS[code];
  return { value: { type: typeOf(code), title, status, detail, code, request_id: '5f0c9d7ab3e1', ...lists } };
}

function refused(
  description: string,
  codes: readonly ProblemCode[],
  more: { readonly headers?: Response['headers']; readonly examples?: MediaType['examples'] } = {},
): Response {
  return refusal(problemDetails, description, codes, more);
}

const retried = { 'Retry-After': headerRef('RetryAfter') };

const ofService = serviceRefusals(problemDetails, {
  '412': {
    description: 'No such snapshot is held here, or no longer: `snapshots` lists those that are.',
    examples: {
      released: problemExample(
        'unknown_snapshot',
        'Snapshot 0123456789abcdef is not held here. There is 89abcdef01234567.',
        { snapshots: ['89abcdef01234567'] },
      ),
    },
  },
  '429': {
    examples: {
      daily: problemExample(
        'rate_limited',
        'The quota of 5000 requests per 86400 s is used up; try again in 18 s.',
      ),
    },
  },
  '503': {
    description:
      'No data is loaded yet, the server is shutting down, or it has too much to do. Try again, or another replica.',
  },
});

/** For a file that is made after a swap. */
function notYet(isBeing: string): Response {
  return refused(
    `No data is loaded yet, ${isBeing}, or the server is shutting down. Try again.`,
    ['no_snapshot', 'preparing', 'draining'],
    { headers: { ...limitHeaders, ...retried } },
  );
}

export const responses: { readonly [name: string]: Response } = {
  NotModified: {
    ...notModified,
    description:
      'Nothing changed since the answer whose `ETag` came as `If-None-Match`: keep using that one.',
  },
  DocumentNotModified: {
    description: 'The document whose `ETag` came as `If-None-Match` is still the one.',
    headers: { ...echoedId, ETag: headerRef('ETag') },
  },
  InvalidBody: refused('The body is not JSON.', ['invalid_body']),
  Unauthenticated: ofService[401],
  Forbidden: ofService[403],
  NotFound: refused('No such path. What any path outside this document answers.', ['not_found'], {
    headers: {},
  }),
  UnknownVulnerability: refused('No vulnerability has this id.', ['unknown_vulnerability']),
  UnknownSnapshot: ofService[412],
  NotListedYet: notYet('what changed is still being computed'),
  NotCountedYet: notYet('it is still being counted'),
  MethodNotAllowed: ofService[405],
  BodyTooLarge: refused('The body is larger than 64 KiB.', ['body_too_large']),
  InvalidListing: refused(
    'A parameter outside its domain or given twice, `page` with `cursor`, or a cursor that was never handed out.',
    ['invalid_parameter', 'invalid_cursor'],
    {
      examples: {
        perPage: problemExample('invalid_parameter', 'per_page must be a whole number from 1 to 500.', {
          errors: [{ parameter: 'per_page', message: 'must be a whole number from 1 to 500' }],
        }),
      },
    },
  ),
  InvalidParameter: refused(
    'A part of the path or a parameter outside its domain, or a parameter given twice.',
    ['invalid_parameter'],
  ),
  InvalidBatch: refused(
    'The body is not an array of at most 50 well-formed items, or a parameter is outside its domain.',
    ['invalid_batch', 'invalid_parameter'],
    {
      examples: {
        version: problemExample('invalid_batch', 'items[3].version is missing.', {
          errors: [{ parameter: 'items[3].version', message: 'is missing' }],
        }),
      },
    },
  ),
  InvalidId: refused(
    'The id is malformed, or several vulnerabilities share it: then `ids` lists them.',
    ['invalid_parameter', 'ambiguous_id'],
    {
      examples: {
        ambiguous: problemExample('ambiguous_id', 'CVE-2026-900001 names 2 vulnerabilities.', {
          errors: [{ parameter: 'id', message: 'names 2 vulnerabilities; ask for one by number' }],
          ids: [912040, 912034],
        }),
      },
    },
  ),
  RateLimited: ofService[429],
  InternalError: ofService[500],
  Unavailable: ofService[503],
  NotReady: refused(
    'No data is loaded yet, files are still being prepared and the operator wants them first, the data is older than the ' +
      'operator allows, no worker is listening (told by the operations listener only), the server is shutting down, or another ' +
      'snapshot is live than the request names.',
    ['no_snapshot', 'preparing', 'draining', 'no_worker', 'snapshot_too_old', 'other_snapshot'],
    { headers: retried },
  ),
};
