// What all dialects have together: the labels of metrics and the endpoints of tiers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../src/access/endpoints.ts';
import { DIALECTS, ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { RouteTable } from '../../src/http/routes.ts';

test('every endpoint that a tier can list is that of a route', () => {
  const routed = DIALECTS.flatMap(({ routes }) =>
    routes.flatMap((route) => ('endpoint' in route ? [route.endpoint] : [])),
  );
  assert.deepEqual([...new Set(routed)].sort(), [...ENDPOINTS].sort());
});

// Dashboards and alerts name these; a difference here is a change for whoever runs the server.
test('requests are counted under the published labels', () => {
  assert.deepEqual(ROUTE_LABELS, [
    ...['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'],
    ...['openapi', 'healthz', 'readyz', 'other'],
  ]);
});

test('no two dialects answer the same request', () => {
  assert.doesNotThrow(() => new RouteTable(DIALECTS));
});
