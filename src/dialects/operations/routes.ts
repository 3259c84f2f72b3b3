// The table of routes: two that show, and one for each order.

import type { OrderRoute, Route } from '../../http/dialect.ts';
import { ORDERS, type OrderKind } from '../../http/operations-view.ts';
import { orderProblem } from '../../http/order-origin.ts';
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

export const routes: readonly Route[] = [
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
