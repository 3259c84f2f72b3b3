// The table of routes: two that show, and one for each order.

import type { BodyRoute, Route } from '../../http/dialect.ts';
import { ORDERS, type OrderKind } from '../../http/operations-view.ts';
import { handleHistory, handleNow, handleOrder } from './handlers.ts';
import * as openapi from './openapi.ts';
import { MAX_ORDER_BYTES } from './order.ts';

function orderRoute(kind: OrderKind): BodyRoute {
  return {
    kind: 'body',
    pattern: `/operations/${kind}`,
    endpoint: 'operate',
    maxBodyBytes: MAX_ORDER_BYTES,
    tooLarge: `An order has at most ${MAX_ORDER_BYTES} bytes.`,
    answer: (_query, _parts, body, context) => handleOrder(kind, body, context),
    operation: openapi.orderOperations[kind],
  };
}

export const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: '/operations',
    endpoint: 'operations',
    answer: handleNow,
    operation: openapi.getOperations,
  },
  {
    kind: 'read',
    pattern: '/operations/history',
    endpoint: 'operations',
    label: 'operations-history',
    answer: handleHistory,
    operation: openapi.getHistory,
  },
  ...ORDERS.map(orderRoute),
];
