// What the process is doing, and the operator's orders to it, as one value: at the root of every server, in
// the contract's form of errors.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { ORDER_PROBLEMS, ORDERS, type OrderKind } from '../../http/operations-view.ts';
import { ORIGIN_PROBLEMS, orderProblem } from '../../http/order-origin.ts';
import { renderProblemDetails } from '../../http/replies/problems.ts';
import type { Dialect, OrderRoute, Route } from '../../http/routing/dialect.ts';
import { problemDetails } from '../problem-details.ts';
import { PROBLEMS } from '../request-problems.ts';
import { answerHistory, answerNow, handleOrder } from './handlers.ts';
import { MAX_ORDER_BYTES } from './order.ts';

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
