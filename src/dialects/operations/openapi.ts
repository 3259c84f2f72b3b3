// This dialect's part of the OpenAPI document: operations and their refusals. What both dialects and the contract answer is
// referred to in the contract's part; schemas.ts has the bodies.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Header, Operation, Ref, Response, Schema } from '../../http/openapi/model.ts';
import { ORDER_PROBLEMS, type OrderKind, type OrderProblemCode } from '../../http/operations-view.ts';
import { ORIGIN_PROBLEMS } from '../../http/order-origin.ts';
import { typeOf } from '../../http/replies/problems.ts';
import {
  closedObject,
  headerRef,
  limitHeaders,
  schemaRef,
  headers as sharedHeaders,
} from '../openapi-parts.ts';
import { SNAPSHOT_FILE, schemas } from './schemas.ts';

const description = `**Operations.** What the process is doing, its figures over the last hour, and orders to load or to roll back. Only
for keys whose tier lists \`operations\` or \`operate\`. The operations listener has the same paths, without a key.`;

const TAG = 'operations';

function parameterRefs(...names: string[]): Ref[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function responseRef(name: string): Ref {
  return { $ref: `#/components/responses/${name}` };
}

const PROBLEMS = { ...ORDER_PROBLEMS, ...ORIGIN_PROBLEMS };

function problemSchema(code: keyof typeof PROBLEMS): Schema {
  const { status, title } = PROBLEMS[code];
  return closedObject({
    type: { type: 'string', const: typeOf(code) },
    title: { type: 'string', const: title },
    status: { type: 'integer', const: status },
    detail: { type: 'string', minLength: 1 },
    code: { type: 'string', const: code },
    request_id: { type: 'string', minLength: 1 },
  });
}

const retryAfter: Header = {
  description: 'Whole seconds to wait before the next attempt.',
  schema: { type: 'integer', minimum: 1 },
};

function refusal(
  description: string,
  schema: Schema | Ref,
  more: { readonly [name: string]: Header | Ref } = {},
): Response {
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...limitHeaders, ...more },
    content: { 'application/problem+json': { schema } },
  };
}

function data(description: string, schema: string): Response {
  return {
    description,
    headers: {
      'X-Request-Id': headerRef('EchoedRequestId'),
      ...limitHeaders,
      'Cache-Control': headerRef('CacheControl'),
    },
    content: { 'application/json': { schema: schemaRef(schema) } },
  };
}

const keyed = {
  '401': responseRef('Unauthenticated'),
  '403': responseRef('Forbidden'),
  '405': responseRef('MethodNotAllowed'),
  '500': responseRef('InternalError'),
  '503': refusal('The first figures are being collected.', schemaRef('ProblemPreparing'), {
    'Retry-After': headerRef('RetryAfter'),
  }),
};

export const getOperations: Operation = {
  operationId: 'getOperations',
  summary: 'Show what the process is doing',
  description:
    'Written once a second by the process’s supervisor: if `now` does not advance, the supervisor hangs while workers still answer.',
  tags: [TAG],
  parameters: parameterRefs('RequestId'),
  responses: {
    '200': data('What it does.', 'Operations'),
    '429': responseRef('RateLimited'),
    ...keyed,
  },
};

export const getHistory: Operation = {
  operationId: 'getOperationsHistory',
  summary: 'Get the figures of the last hour',
  description:
    'Columns of equal length: seconds for the last five minutes, minutes for the last hour. A rate is per second. A minute has the mean of its seconds, but the highest of `in_flight`, `pending_bytes` and `lag_ms`. Percentiles are interpolated within the buckets of `vulndex_request_duration_seconds`: 1000 means a second or more.',
  tags: [TAG],
  parameters: [
    {
      name: 'since',
      in: 'query',
      description: 'Seconds since 1970: older points are left out.',
      schema: { type: 'integer', minimum: 0 },
    },
    ...parameterRefs('RequestId'),
  ],
  responses: {
    '200': data('The figures.', 'OperationsHistory'),
    '422': responseRef('InvalidParameter'),
    '429': responseRef('RateLimited'),
    ...keyed,
  },
};

function orderOperation(
  operationId: string,
  summary: string,
  description: string,
  more: { readonly body?: Schema; readonly codes: readonly OrderProblemCode[] },
): Operation {
  const conflicts = more.codes.filter((code) => ORDER_PROBLEMS[code].status === 409);
  const missing = more.codes.filter((code) => ORDER_PROBLEMS[code].status === 404);
  const oneOf = (codes: readonly OrderProblemCode[]): Schema => ({ oneOf: codes.map(problemSchema) });
  return {
    operationId,
    summary,
    description: `${description} It is carried out after the answer: \`last_order\` of \`/operations\` says how it went. At most one order a second is taken.`,
    tags: [TAG],
    parameters: parameterRefs('RequestId'),
    ...(more.body === undefined
      ? {}
      : {
          requestBody: {
            description: 'What to serve.',
            required: true,
            content: { 'application/json': { schema: more.body } },
          },
        }),
    responses: {
      '202': {
        description: 'It was passed on.',
        headers: { 'X-Request-Id': headerRef('EchoedRequestId'), ...limitHeaders },
        content: { 'application/json': { schema: schemaRef('Ordered') } },
      },
      '400': responseRef('InvalidBody'),
      ...(missing.length === 0 ? {} : { '404': refusal('No such file.', oneOf(missing)) }),
      ...(conflicts.length === 0 ? {} : { '409': refusal('There is nothing to do.', oneOf(conflicts)) }),
      '413': refusal('The body is too large.', schemaRef('ProblemBodyTooLarge')),
      '415': refusal(
        'Neither JSON nor from the console: a page of another site could have sent it.',
        problemSchema('wrong_content_type'),
      ),
      '422': responseRef('InvalidParameter'),
      '429': refusal(
        'Too many orders, or the key’s quota is used up.',
        { oneOf: [problemSchema('too_many_orders'), schemaRef('ProblemRateLimited')] },
        { 'Retry-After': { ...retryAfter, required: true } },
      ),
      ...keyed,
      '503': refusal(
        'The first figures are being collected, or the loader, which follows orders, does not answer.',
        { oneOf: [schemaRef('ProblemPreparing'), problemSchema('loader_stuck')] },
        { 'Retry-After': retryAfter },
      ),
      '403': refusal('The key’s tier does not include orders, or a page of another site sent this one.', {
        oneOf: [schemaRef('ProblemForbiddenEndpoint'), problemSchema('foreign_origin')],
      }),
    },
  };
}

export const orderOperations: Readonly<Record<OrderKind, Operation>> = {
  reload: orderOperation(
    'orderReload',
    'Scan the folder of snapshots now',
    'As SIGHUP does: files that have just changed are included, and files that could not be read are tried again.',
    { codes: [] },
  ),
  'roll-back': orderOperation(
    'orderRollBack',
    'Serve an older snapshot',
    'Until one arrives that is newer than all those in the folder now, or until `roll-forward`. Every server on the folder follows.',
    { body: closedObject({ file: SNAPSHOT_FILE }), codes: ['unknown_file', 'already_live'] },
  ),
  'roll-forward': orderOperation('orderRollForward', 'Serve the newest snapshot again', 'Ends a roll-back.', {
    codes: ['not_rolled_back'],
  }),
};

export const openApi: OpenApiPart = {
  description,
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: TAG, description: 'About the process, for those who run it.' }],
  components: { schemas, headers: sharedHeaders, parameters: {}, responses: {}, securitySchemes: {} },
};
