// What is derived from all dialects: the labels of metrics and the endpoints of tiers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS, DIALECTS_BY_LABEL, ENDPOINTS, ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { labelOf } from '../../src/http/dialect.ts';
import { RouteTable } from '../../src/http/routes.ts';
import { openApiDocument, resolve } from '../support/openapi.ts';

// Keys files name these: removing one would invalidate the file of a running server.
test('a tier can list the published endpoints', () => {
  assert.deepEqual(ENDPOINTS, [
    ...['all', 'latest', 'changes', 'product', 'exists', 'batch', 'vulnerability', 'explain'],
    'npm-audit',
    ...['osv', 'osv-files'],
    'wordfence',
    'wpscan',
  ]);
});

// Dashboards and alerts name these; a difference here affects every operator.
test('requests are counted under the published labels', () => {
  assert.deepEqual(ROUTE_LABELS, [
    ...['all', 'latest', 'changes', 'product', 'exists', 'batch', 'vulnerability', 'explain'],
    ...['openapi', 'healthz', 'readyz'],
    ...['npm-bulk', 'npm-quick', 'npm-full'],
    ...['flat-product', 'flat-exists', 'flat-latest', 'flat-batch', 'flat-vulnerability', 'flat-all'],
    ...['osv-query', 'osv-querybatch', 'osv-vuln', 'osv-file'],
    ...['wordfence-production', 'wordfence-scanner'],
    ...['wpscan-plugin', 'wpscan-theme', 'wpscan-wordpress'],
    'npm-upstream',
    'other',
  ]);
});

test('each label counts for one dialect, and requests about the service for none of them', () => {
  const names = new Set(DIALECTS.map(({ name }) => name));
  assert.deepEqual([...DIALECTS_BY_LABEL.keys()], ROUTE_LABELS);
  for (const label of ['openapi', 'healthz', 'readyz']) assert.equal(DIALECTS_BY_LABEL.get(label), 'service');
  assert.equal(DIALECTS_BY_LABEL.get('other'), 'other');
  for (const { name, routes } of DIALECTS) {
    for (const route of routes) {
      if (route.kind !== 'open') assert.equal(DIALECTS_BY_LABEL.get(labelOf(route)), name, labelOf(route));
    }
  }
  assert.ok(
    !names.has('service') && !names.has('other') && !names.has('all'),
    'words of metrics and --mounts',
  );
});

test('no two dialects answer the same request', () => {
  assert.doesNotThrow(() => new RouteTable(DIALECTS));
});

test('in the document, operations have ids of their own and describe the variables of their paths', () => {
  const ids: string[] = [];
  for (const [template, { get, post }] of Object.entries(openApiDocument.paths)) {
    for (const operation of [get, post]) {
      if (operation === undefined) continue;
      ids.push(operation.operationId);
      const named = (operation.parameters ?? [])
        .map(resolve)
        .filter((parameter) => 'in' in parameter && parameter.in === 'path')
        .map((parameter) => ('name' in parameter && parameter.required === true ? parameter.name : ''));
      const variables = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      assert.deepEqual(named, variables, template);
    }
  }
  assert.equal(new Set(ids).size, ids.length, ids.join(' '));
});
