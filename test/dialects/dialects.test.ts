// What is derived from all dialects: the labels of metrics and the endpoints of tiers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS, ENDPOINTS, ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { RouteTable } from '../../src/http/routes.ts';

// Keys files name these: removing one would invalidate the file of a running server.
test('a tier can list the published endpoints', () => {
  assert.deepEqual(ENDPOINTS, ['all', 'latest', 'product', 'exists', 'batch', 'vulnerability']);
});

// Dashboards and alerts name these; a difference here affects every operator.
test('requests are counted under the published labels', () => {
  assert.deepEqual(ROUTE_LABELS, [
    ...['all', 'latest', 'product', 'exists', 'batch', 'vulnerability'],
    ...['openapi', 'healthz', 'readyz', 'other'],
  ]);
});

test('no two dialects answer the same request', () => {
  assert.doesNotThrow(() => new RouteTable(DIALECTS));
});
