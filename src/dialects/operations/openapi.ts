// This dialect's part of the OpenAPI document: operations and their refusals. What both dialects and the
// contract answer is referred to in the contract's part; schemas.ts has the bodies.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Ref, Response, Schema } from '../../http/openapi/model.ts';
import { ORDER_PROBLEMS, type OrderKind, type OrderProblemCode } from '../../http/operations-view.ts';
import { ORIGIN_PROBLEMS } from '../../http/order-origin.ts';
import { SERVICE_PROBLEMS } from '../../http/replies/problems.ts';
import {
  dataResponse,
  echoedId,
  headerRef,
  headers,
  inQuery,
  jsonBody,
  KEY_SECURITY,
  limitHeaders,
  parameterRefs,
  responseRef,
} from '../openapi-parts.ts';
import { type ErrorFormat, refusal, serviceRefusalRefs } from '../openapi-refusals.ts';
import { problemDetails, problemName, problemSchema } from '../problem-details.ts';
import * as s from '../schema-words.ts';
import { SNAPSHOT_FILE, schemas } from './schemas.ts';

const description = `**Operations.** What the process is doing, its figures over the last hour, and orders to load or to roll back. Only
for keys whose tier lists \`operations\` or \`operate\`. The operations listener has the same paths, without a key.`;

const TAG = 'operations';

const PROBLEMS = { ...SERVICE_PROBLEMS, ...ORDER_PROBLEMS, ...ORIGIN_PROBLEMS };
type Code = keyof typeof PROBLEMS;

const { mediaType } = problemDetails;
const oneProblem: ErrorFormat<Code> = { mediaType, schema: ([code]) => schemaOf(code) };
/** For lists whose length depends on the order. */
const anyProblem: ErrorFormat<Code> = {
  mediaType,
  schema: (codes) => ({ oneOf: codes.map(schemaOf) }),
};

/** Those of the service are components of the contract. */
function schemaOf(code: Code): Schema | Ref {
  return code in SERVICE_PROBLEMS ? s.ref(problemName(code)) : problemSchema(code, PROBLEMS[code]);
}

/** Sent with some of the problems of a response only. */
const { required: _, ...retryAfter } = headers.RetryAfter;

/** Not from the data, so without a tag. */
function data(description: string, schema: string): Response {
  return dataResponse(description, s.ref(schema), { isTagged: false });
}

export const getOperations: Operation = {
  operationId: 'getOperations',
  summary: 'Show what the process is doing',
  description:
    'Written once a second by the process’s supervisor: if `now` does not advance, the supervisor hangs while workers still answer.',
  tags: [TAG],
  parameters: parameterRefs('RequestId'),
  responses: { '200': data('What it does.', 'Operations') },
};

export const getHistory: Operation = {
  operationId: 'getOperationsHistory',
  summary: 'Get the figures of the last hour',
  description:
    'Columns of equal length: seconds for the last five minutes, minutes for the last hour. A rate is per second. A minute has the mean of its seconds, but the highest of `in_flight`, `pending_bytes` and `lag_ms`. Percentiles are interpolated within the buckets of `vulndex_request_duration_seconds`: 1000 means a second or more.',
  tags: [TAG],
  parameters: [
    inQuery('since', 'Seconds since 1970: older points are left out.', s.count),
    ...parameterRefs('RequestId'),
  ],
  responses: {
    '200': data('The figures.', 'OperationsHistory'),
    '422': responseRef('InvalidParameter'),
  },
};

function orderOperation(
  operationId: string,
  summary: string,
  description: string,
  more: { readonly body?: Schema; readonly codes: readonly OrderProblemCode[] },
): Operation {
  const refused = (status: number, what: string): Operation['responses'] => {
    const codes = more.codes.filter((code) => ORDER_PROBLEMS[code].status === status);
    return codes.length === 0 ? {} : { [status]: refusal(anyProblem, what, codes) };
  };
  return {
    operationId,
    summary,
    description: `${description} It is carried out after the answer: \`last_order\` of \`/operations\` says how it went. At most one order a second is taken.`,
    tags: [TAG],
    parameters: parameterRefs('RequestId'),
    ...(more.body === undefined ? {} : { requestBody: jsonBody('What to serve.', more.body) }),
    responses: {
      '202': {
        description: 'It was passed on.',
        headers: { ...echoedId, ...limitHeaders },
        content: { 'application/json': { schema: s.ref('Ordered') } },
      },
      '400': responseRef('InvalidBody'),
      '403': refusal(
        anyProblem,
        'The key’s tier does not include orders, or a page of another site sent this one.',
        ['forbidden_endpoint', 'foreign_origin'],
      ),
      ...refused(404, 'No such file.'),
      ...refused(409, 'There is nothing to do.'),
      '413': refusal(oneProblem, 'The body is too large.', ['body_too_large']),
      '415': refusal(
        oneProblem,
        'Neither JSON nor from the console: a page of another site could have sent it.',
        ['wrong_content_type'],
      ),
      '422': responseRef('InvalidParameter'),
      '429': refusal(
        anyProblem,
        'Too many orders, or the key’s quota is used up.',
        ['too_many_orders', 'rate_limited'],
        { headers: { ...limitHeaders, 'Retry-After': { ...retryAfter, required: true } } },
      ),
      '503': refusal(
        anyProblem,
        'The first figures are being collected, or the loader, which follows orders, does not answer.',
        ['preparing', 'loader_stuck'],
        { headers: { ...limitHeaders, 'Retry-After': retryAfter } },
      ),
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
    { body: s.object({ file: SNAPSHOT_FILE }), codes: ['unknown_file', 'already_live'] },
  ),
  'roll-forward': orderOperation('orderRollForward', 'Serve the newest snapshot again', 'Ends a roll-back.', {
    codes: ['not_rolled_back'],
  }),
};

export const openApi: OpenApiPart = {
  description,
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'About the process, for those who run it.' }],
  sharedResponses: {
    ...serviceRefusalRefs(''),
    '503': refusal(oneProblem, 'The first figures are being collected.', ['preparing'], {
      headers: { ...limitHeaders, 'Retry-After': headerRef('RetryAfter') },
    }),
  },
  components: { schemas, headers },
};
