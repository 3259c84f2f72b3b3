// What the process does now, its figures over the last hour, and the operator's orders to it, as one value:
// at the root of every server, in the contract's form of errors.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import {
  type OperationsView,
  ORDER_PROBLEMS,
  ORDERS,
  type OrderKind,
  refuseOrder,
  refuseParameter,
  renderOrdered,
} from '../../http/operations-view.ts';
import { ORIGIN_PROBLEMS, orderProblem } from '../../http/order-origin.ts';
import { type ParameterError, renderProblemDetails } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Dialect, OrderRoute, Route } from '../../http/routing/dialect.ts';
import { readParameters } from '../../http/routing/query.ts';
import { type Steps, settled } from '../../http/work/steps.ts';
import { problemDetails } from '../problem-details.ts';
import { PROBLEMS } from '../request-problems.ts';
import { MAX_ORDER_BYTES, readOrder } from './order.ts';

const MAX_SINCE = 99_999_999_999; // the year 5138

const NOT_YET = refuseOrder({
  code: 'preparing',
  detail:
    'The first figures are being collected, or the supervisor of this process does not answer; try again soon.',
});

function* handleOrder(
  kind: OrderKind,
  body: Uint8Array,
  operations: Pick<OperationsView, 'order'> | undefined,
): Steps<Answer> {
  const read = yield* readOrder(kind, body);
  if (read.kind === 'problem') return read;
  if (operations === undefined) return NOT_YET;
  const refusal = yield* settled(operations.order(read.order));
  return refusal === undefined ? { kind: 'accepted', body: renderOrdered(read.order) } : refuseOrder(refusal);
}

function* answerNow(operations: Pick<OperationsView, 'now'> | undefined): Steps<Answer> {
  if (operations === undefined) return NOT_YET;
  const document = yield* settled(operations.now());
  return document === undefined ? NOT_YET : json(document, null);
}

/** Without `since`, all of it. */
function* answerHistory(
  query: string,
  operations: Pick<OperationsView, 'history'> | undefined,
): Steps<Answer> {
  const errors: ParameterError[] = [];
  const [text] = readParameters(query, ['since'], errors);
  if (errors.length > 0) return refuseParameter(errors[0]);
  if (text !== undefined && !(/^\d{1,11}$/.test(text) && Number(text) <= MAX_SINCE)) {
    const message = 'must be a time in whole seconds since 1970, such as 1767225600';
    return refuseParameter({ parameter: 'since', message });
  }
  if (operations === undefined) return NOT_YET;
  const document = yield* settled(operations.history(text === undefined ? 0 : Number(text)));
  return document === undefined ? NOT_YET : json(document, null);
}

function orderRoute(kind: OrderKind): OrderRoute {
  return {
    kind: 'order',
    pattern: `/operations/${kind}`,
    endpoint: 'operate',
    maxBodyBytes: MAX_ORDER_BYTES,
    tooLarge: `An order has at most ${MAX_ORDER_BYTES} bytes.`,
    refusal: orderProblem,
    answer: (body, operations) => handleOrder(kind, body, operations),
  };
}

const routes: readonly Route[] = [
  {
    kind: 'process',
    pattern: '/operations',
    endpoint: 'operations',
    answer: (_, operations) => answerNow(operations),
  },
  {
    kind: 'process',
    pattern: '/operations/history',
    endpoint: 'operations',
    label: 'operations-history',
    answer: (query, operations) => answerHistory(query, operations),
  },
  ...ORDERS.map(orderRoute),
];

export const operations: Dialect = {
  name: 'operations',
  mounts: [{ path: '', description: 'The service’s own root.' }],
  keys: KEY_READING,
  routes,
  renderError: renderProblemDetails,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: problemDetails({ ...PROBLEMS, ...ORDER_PROBLEMS, ...ORIGIN_PROBLEMS }),
    words: { Order: ORDERS },
  },
};
