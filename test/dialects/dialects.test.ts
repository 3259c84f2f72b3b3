// What is derived from all dialects: the labels of metrics and the endpoints of tiers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKeyTable } from '../../src/access/key-table.ts';
import { type KeysFile, shippedTiers } from '../../src/access/keys-file.ts';
import { ALL_DIALECTS, DIALECTS_BY_LABEL, ENDPOINTS, ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { KeyRing } from '../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../src/http/callers/rate-limit.ts';
import type { Reply } from '../../src/http/replies/responses.ts';
import { labelOf } from '../../src/http/routing/dialect.ts';
import { RouteTable } from '../../src/http/routing/routes.ts';
import { Service } from '../../src/http/service.ts';
import { openApiDocument, resolve } from '../support/serving/openapi.ts';
import { replyOf } from '../support/serving/reply-of.ts';
import { keyRecord } from '../support/serving/server.ts';
import { coreAdvisory, generationOf } from '../support/snapshots/generation.ts';

const KEY = 'any-key';

// Keys files name these: removing one would invalidate the file of a running server.
test('a tier can list the published endpoints', () => {
  assert.deepEqual(ENDPOINTS, [
    ...['all', 'latest', 'changes', 'product', 'exists', 'batch', 'vulnerability', 'explain'],
    ...['products', 'statistics'],
    'npm-audit',
    ...['osv', 'osv-files'],
    'wordfence',
    'wpscan',
    'govulndb',
    'oss-index',
    'composer',
    'nuget',
    ...['operations', 'operate'],
  ]);
});

// Dashboards and alerts name these; a difference here affects every operator.
test('requests are counted under the published labels', () => {
  assert.deepEqual(ROUTE_LABELS, [
    ...['all', 'latest', 'changes', 'product', 'exists', 'batch', 'vulnerability', 'explain'],
    ...['products', 'statistics'],
    ...['openapi', 'healthz', 'readyz'],
    ...['npm-bulk', 'npm-quick', 'npm-full'],
    ...['flat-product', 'flat-exists', 'flat-latest', 'flat-batch', 'flat-vulnerability', 'flat-all'],
    ...['osv-query', 'osv-querybatch', 'osv-vuln', 'osv-file'],
    ...['wordfence-production', 'wordfence-scanner'],
    ...['wpscan-plugin', 'wpscan-theme', 'wpscan-wordpress'],
    ...['govulndb-index', 'govulndb-record', 'govulndb-module'],
    'oss-index-report',
    ...['composer-packages', 'composer-advisories', 'composer-filter'],
    ...['nuget-service', 'nuget-index', 'nuget-page'],
    ...['operations', 'operations-history', 'operate'],
    'npm-upstream',
    ...['console', 'docs'],
    'other',
  ]);
});

test('each label counts for one dialect, and requests about the service for none of them', () => {
  const names = new Set(ALL_DIALECTS.map(({ name }) => name));
  assert.deepEqual([...DIALECTS_BY_LABEL.keys()], ROUTE_LABELS);
  for (const label of ['openapi', 'healthz', 'readyz', 'console', 'docs'])
    assert.equal(DIALECTS_BY_LABEL.get(label), 'service');
  assert.equal(DIALECTS_BY_LABEL.get('other'), 'other');
  for (const { name, routes } of ALL_DIALECTS) {
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
  assert.doesNotThrow(() => new RouteTable(ALL_DIALECTS));
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

test('every route of every dialect about the data reads `snapshot`, and refuses it in the form of its dialect', async (t) => {
  const file: KeysFile = { tiers: shippedTiers(ENDPOINTS), keys: [keyRecord(KEY, 'operator')] };
  const limits = new RateLimiterTable();
  const ring = new KeyRing(buildKeyTable(file, limits.slotsOf(file)));
  const generation = generationOf(t, [coreAdvisory(1)]);
  const service = new Service({
    dialects: ALL_DIALECTS,
    generation: () => generation,
    keys: () => ring,
    limiter: new RateLimiter(limits.memory),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    nowMs: () => 0,
    makeRequestId: () => 'asked',
    onInternalError: (error) => assert.fail(String(error)),
  });
  let routes = 0;
  for (const dialect of ALL_DIALECTS) {
    for (const route of dialect.routes) {
      if (route.kind !== 'read' && route.kind !== 'long-read' && route.kind !== 'body') continue;
      routes++;
      const path = dialect.mounts[0].path + route.pattern.replaceAll(/\{\w+\}/g, 'npm');
      const method = route.kind === 'body' ? 'POST' : 'GET';
      const ask = (id: string): Reply => {
        const query = `snapshot=${id}`;
        const header = (name: string): string => (name === 'authorization' ? `Bearer ${KEY}` : '');
        const result = service.handle({ method, path, query, address: '127.0.0.1', header, list: () => '' });
        return replyOf(result, Buffer.from('{}'));
      };
      for (const [id, status, code] of [
        ['0'.repeat(16), 412, 'unknown_snapshot'],
        ['npm', 422, 'invalid_parameter'],
      ] as const) {
        const reply = ask(id);
        const expected = dialect.renderError({ status, code, title: '', detail: '' }, 'asked');
        assert.equal(reply.status, expected.status, path);
        assert.equal(reply.headers.fields[0][1], expected.contentType, path);
      }
      assert.ok(![412, 500].includes(ask(generation.id).status), path);
    }
  }
  assert.ok(routes >= 7);
});
