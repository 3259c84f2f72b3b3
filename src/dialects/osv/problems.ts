// The errors of this dialect: a gRPC code and a message. MESSAGES are those of the original, which clients
// compare.

import type { ErrorFormat } from '../../http/openapi/model.ts';
import { type ProblemKind, type RenderError, SERVICE_PROBLEMS } from '../../http/replies/problems.ts';
import type { Status } from '../../http/replies/reply-headers.ts';
import { type Answer, refuse } from '../../http/replies/responses.ts';

/** Those of the service, and its own. */
const PROBLEMS = {
  ...SERVICE_PROBLEMS,
  invalid_argument: { status: 400, title: 'Invalid argument' },
  unknown_record: { status: 404, title: 'No such record or file' },
} as const satisfies Record<string, ProblemKind>;

export const MESSAGES = {
  noQuery: 'no query provided',
  badQuery: 'invalid query',
  badHash: 'invalid hash',
  purlAndName: 'name specified in a PURL query',
  purlAndEcosystem: 'ecosystem specified in a PURL query',
  purlAndVersion: 'version specified in params and PURL query',
  badEcosystem: 'invalid ecosystem',
  badCursor: 'invalid cursor',
  tooManyQueries: 'too many queries',
  badVersion: 'invalid version: no ecosystem that the query may mean reads it',
  noId: 'ID is required',
  longId: 'ID is too long',
  notFound: 'Vulnerability not found',
} as const;

/** https://grpc.io/docs/guides/status-codes/ */
const GRPC_CODES = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  409: 10,
  412: 9,
  413: 3,
  415: 3,
  422: 3,
  429: 8,
  500: 13,
  503: 14,
} as const;
type RefusalStatus = keyof typeof GRPC_CODES;

function isRefusal(status: Status): status is RefusalStatus {
  return status in GRPC_CODES;
}

/** The gRPC code for a status; 2, which is unknown, for those that refuse nothing. */
export function grpcCode(status: Status): number {
  return isRefusal(status) ? GRPC_CODES[status] : 2;
}

/** The request's id is in its header only: clients read strictly. */
export const renderError: RenderError = ({ status, detail }) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ code: grpcCode(status), message: detail }),
});

export function invalid(message: string): Answer {
  return refuse({ code: 'invalid_argument', ...PROBLEMS.invalid_argument, detail: message });
}

export function notFound(message: string): Answer {
  return refuse({ code: 'unknown_record', ...PROBLEMS.unknown_record, detail: message });
}

/** Requires: codes whose statuses have the same gRPC code. */
export const grpcError: ErrorFormat<keyof typeof PROBLEMS> = {
  prefix: 'Osv',
  mediaType: 'application/json',
  schema: ([code]) => ({
    type: 'object',
    properties: {
      code: { type: 'integer', const: grpcCode(PROBLEMS[code].status) },
      message: { type: 'string', minLength: 1 },
    },
  }),
};
