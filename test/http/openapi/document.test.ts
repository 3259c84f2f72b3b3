// The OpenAPI document is sound, covers what it must, and the function that checks replies against it can
// fail.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as batch from '../../../src/dialects/batch-request.ts';
import * as composer from '../../../src/dialects/composer/limits.ts';
import { DIALECTS } from '../../../src/dialects/dialects.ts';
import * as npm from '../../../src/dialects/npm-audit/body.ts';
import * as tree from '../../../src/dialects/npm-audit/tree.ts';
import { operations as operationsDialect } from '../../../src/dialects/operations/operations.ts';
import { MAX_COORDINATES } from '../../../src/dialects/oss-index/coordinates.ts';
import * as osv from '../../../src/dialects/osv/query.ts';
import * as osvBatch from '../../../src/dialects/osv/querybatch.ts';
import * as osvRecords from '../../../src/dialects/osv/records.ts';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { PROBLEM_CODES, type ProblemCode } from '../../../src/dialects/patchstack/problems.ts';
import * as statistics from '../../../src/dialects/patchstack/statistics.ts';
import { PROBLEMS, requestProblem } from '../../../src/dialects/request-problems.ts';
import { openApiDocument as documentOf } from '../../../src/http/openapi/document.ts';
import type { Operation, Response } from '../../../src/http/openapi/model.ts';
import { renderProblem } from '../../../src/http/replies/problems.ts';
import { methodsOf } from '../../../src/http/routing/dialect.ts';
import { pluck } from '../../support/pluck.ts';
import {
  absolute,
  assertMatchesOpenApi,
  complaintsOf,
  createAjv,
  findPart,
  findPathItem,
  type Reply,
  resolve,
  openApiDocument as wholeDocument,
} from '../../support/serving/openapi.ts';

// Alone: other dialects add to the document that is served.
const openApiDocument = documentOf([patchstack]);
const { components, paths } = openApiDocument;

/** The example of an operation's answer. */
function exampleOf(path: string, name: string, method: 'get' | 'post' = 'get'): unknown {
  const response = paths[path][method]?.responses['200'] as Response;
  return response.content?.['application/json'].examples?.[name].value;
}

const PRODUCT = '/product/{type}/{name}/{version}';
const OFFSET_PAGE = exampleOf('/all', 'offset') as { vulnerabilities: readonly object[] };
const CURSOR_PAGE = exampleOf('/all', 'cursor') as object;
const BATCH = exampleOf('/batch', 'mixed', 'post') as readonly object[];

function operations(): { label: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ label: `${method} ${template}`, operation })),
  );
}

/** Every object and array inside the value, with the path to it. */
function* nodes(value: unknown, at = '#'): Generator<{ at: string; node: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return;
  yield { at, node: value as Record<string, unknown> };
  for (const [key, child] of Object.entries(value)) yield* nodes(child, `${at}/${key}`);
}

const references = [...nodes(openApiDocument)].filter(({ node }) => typeof node.$ref === 'string');

test('every reference resolves, to a component of the kind its place needs', () => {
  assert.ok(references.length > 50);
  for (const { at, node } of references) {
    const kind = at.includes('/headers/')
      ? 'headers'
      : /\/parameters\/\d+$/.test(at)
        ? 'parameters'
        : /\/responses\/\d+$/.test(at)
          ? 'responses'
          : 'schemas';
    assert.ok(String(node.$ref).startsWith(`#/components/${kind}/`), `${at}: ${node.$ref}`);
    assert.notEqual(findPart(String(node.$ref)), undefined, `${at}: ${node.$ref}`);
  }
});

test('no component is unused, except the answer of paths that are not in the document', () => {
  const used = new Set(references.map(({ node }) => node.$ref));
  const unused = (['schemas', 'headers', 'parameters', 'responses'] as const).flatMap((kind) =>
    Object.keys(components[kind])
      .map((name) => `#/components/${kind}/${name}`)
      .filter((reference) => !used.has(reference)),
  );
  assert.deepEqual(unused, ['#/components/responses/NotFound']);
});

test('the document is plain JSON', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(openApiDocument)), openApiDocument);
});

test('every schema compiles in the strict mode of ajv', () => {
  const ajv = createAjv();
  for (const [name, schema] of Object.entries(components.schemas)) {
    assert.doesNotThrow(() => ajv.compile(absolute(schema)), name);
  }
  for (const { at, node } of nodes(openApiDocument)) {
    if (!at.endsWith('/schema')) continue;
    assert.doesNotThrow(() => ajv.compile(absolute(node)), at);
  }
});

test('every operation has an operationId of its own, a summary, and needs a key unless it says otherwise', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  assert.equal(ids.length, 13);
  assert.equal(new Set(ids).size, ids.length);
  for (const { label, operation } of operations()) {
    assert.match(operation.operationId, /^[a-z][A-Za-z]+$/, label);
    assert.ok(operation.summary.length > 0 && operation.description.length > 0, label);
  }
  const keyless = operations().filter(({ operation }) => operation.security?.length === 0);
  assert.deepEqual(pluck(keyless, 'label'), ['get /openapi.json', 'get /healthz', 'get /readyz']);
});

test('the statuses of each endpoint are the published ones', () => {
  const statuses = operations().map(({ label, operation }) => [
    label,
    Object.keys(operation.responses).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(statuses), {
    'get /all': '200 304 401 403 405 412 422 429 500 503',
    'get /latest': '200 304 401 403 405 412 422 429 500 503',
    'get /changes': '200 304 401 403 405 412 422 429 500 503',
    'get /product/{type}/{name}/{version}': '200 304 401 403 405 412 422 429 500 503',
    'get /product/{type}/{name}/{version}/exists': '200 304 401 403 405 412 422 429 500 503',
    'post /batch': '200 400 401 403 405 412 413 422 429 500 503',
    'get /vulnerability/{id}': '200 304 401 403 404 405 412 422 429 500 503',
    'get /explain/{type}/{name}/{version}': '200 304 401 403 405 412 422 429 500 503',
    'get /products': '200 304 401 403 405 412 422 429 500 503',
    'get /statistics': '200 304 401 403 405 412 422 429 500 503',
    'get /openapi.json': '200 304 405 500',
    'get /healthz': '200 405 500',
    'get /readyz': '200 405 422 500 503',
  });
});

/** The codes that a response's schema admits. */
function codesIn(content: unknown): string[] {
  const found = [...nodes(content)].map(({ node }) => node.$ref).filter((ref) => typeof ref === 'string');
  return found.map((reference) => {
    const schema = findPart(String(reference)) as { properties: { code: { const: string } } };
    return schema.properties.code.const;
  });
}

test('every problem code is under its own status, and a response has codes of its status only', () => {
  const seen = new Set(codesIn(components.responses.NotFound.content));
  for (const { label, operation } of operations()) {
    for (const [status, part] of Object.entries(operation.responses)) {
      const response = resolve(part);
      if (response.content?.['application/problem+json'] === undefined) continue;
      for (const code of codesIn(response.content)) {
        assert.equal(PROBLEMS[code as ProblemCode].status, Number(status), `${label} ${status} ${code}`);
        seen.add(code);
      }
    }
  }
  assert.deepEqual([...seen].sort(), [...PROBLEM_CODES].sort());
});

test('every example in the document is valid under the schema it illustrates', () => {
  let checked = 0;
  for (const { at, node } of nodes(openApiDocument)) {
    if (!('schema' in node) || !('examples' in node)) continue;
    for (const [name, example] of Object.entries(node.examples as Record<string, { value: unknown }>)) {
      assert.deepEqual(complaintsOf(node.schema as { $ref: string }, example.value), [], `${at} ${name}`);
      checked += 1;
    }
  }
  assert.ok(checked >= 12, `${checked} examples`);
});

test('every object the server writes is closed, down to the innermost', () => {
  for (const [name, schema] of Object.entries(components.schemas)) {
    // Sent by clients, who may add what they like; and OpenAPI's own shape.
    if (name === 'BatchRequest' || name === 'OpenApiDocument') continue;
    for (const { at, node } of nodes(schema, name)) {
      if ([node.type].flat().includes('object')) assert.equal(node.additionalProperties, false, at);
      // An array without it can contain anything.
      if (node.type === 'array') assert.notEqual(node.items, undefined, at);
    }
  }
});

test('the version of the document is the version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  assert.equal(openApiDocument.info.version, manifest.version);
});

test('a path names its operation under every base path, however its parts are written', () => {
  const expected: { readonly [path: string]: string | undefined } = {
    '/all?platform=npm&cursor=': '/all',
    '/database/api/npm/all': '/all',
    '/database/api/beta/product/plugin/a/1.0': '/product/{type}/{name}/{version}',
    '//database/api/npm//latest': '/latest',
    '/product/npm/@scope%2Fpkg/1.0.0': '/product/{type}/{name}/{version}',
    '/product/npm/@scope/pkg/1.0.0': '/product/{type}/{name}/{version}',
    '/product/npm/%40scope/pkg/1.0.0': '/product/{type}/{name}/{version}',
    '/product/npm/@scope/pkg/1.0.0/exists': '/product/{type}/{name}/{version}/exists',
    '/product/npm/@scope%2Fpkg/1.0.0/exists': '/product/{type}/{name}/{version}/exists',
    '/product/plugin/@odd/1.0/exists': '/product/{type}/{name}/{version}/exists',
    '/product/plugin/a/exists': '/product/{type}/{name}/{version}',
    '/product/npm/%zz/1': '/product/{type}/{name}/{version}',
    '/product/plugin//1': '/product/{type}/{name}/{version}',
    '/database/api/npm': undefined,
    '/database/api/other/all': undefined,
    '/product/plugin/a': undefined,
    '/product/plugin/a/1/2': undefined,
    '/ALL': undefined,
    '/': undefined,
  };
  for (const [path, template] of Object.entries(expected)) {
    assert.equal(findPathItem(path)?.template, template, path);
  }
});

const success = {
  'content-type': 'application/json',
  etag: '"0011223344556677-1"',
  'cache-control': 'private, no-cache',
  ratelimit: '"standard";r=4999;t=18',
  'ratelimit-policy': '"standard";q=5000;w=86400;vulndex-burst=100',
};

function reply(
  parts: Partial<Omit<Reply, 'headers'>> & { headers?: { [name: string]: string | undefined } },
): Reply {
  const headers: { [name: string]: string | undefined } = parts.headers ?? success;
  return {
    method: 'GET',
    path: '/all',
    status: 200,
    body: '',
    ...parts,
    headers: { get: (name) => headers[name.toLowerCase()] },
  };
}

function problemReply(
  code: ProblemCode,
  parts: Partial<Reply>,
  headers: { [name: string]: string } = {},
): Reply {
  const errors =
    PROBLEMS[code].status === 422 ? { errors: [{ parameter: 'page', message: 'is wrong' }] } : {};
  return reply({
    status: PROBLEMS[code].status,
    body: renderProblem(requestProblem(code, 'Because.', errors), 'req-1'),
    ...parts,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'req-1', ...headers },
  });
}

test('replies as the server should make them match', () => {
  const page = JSON.stringify(OFFSET_PAGE);
  assertMatchesOpenApi(reply({ body: page }));
  assertMatchesOpenApi(reply({ path: '/latest?cursor=', body: JSON.stringify(CURSOR_PAGE) }));
  assertMatchesOpenApi(
    reply({ body: page, headers: { ...success, 'content-type': 'application/json; charset=utf-8' } }),
  );
  assertMatchesOpenApi(reply({ method: 'HEAD' }));
  assertMatchesOpenApi(reply({ status: 304 }));
  assertMatchesOpenApi(
    reply({ path: '/product/npm/@a/b/1.0.0', body: JSON.stringify(exampleOf(PRODUCT, 'affected')) }),
  );
  assertMatchesOpenApi(reply({ path: '/product/npm/@a/b/1.0.0/exists', body: '{"vulnerable":false}' }));
  assertMatchesOpenApi(reply({ method: 'POST', path: '/batch', body: JSON.stringify(BATCH) }));
  assertMatchesOpenApi(
    reply({ path: '/vulnerability/1', body: JSON.stringify(exampleOf('/vulnerability/{id}', 'plugin')) }),
  );
  assertMatchesOpenApi(reply({ path: '/healthz', body: '{"status":"ok"}' }));
  assertMatchesOpenApi(reply({ path: '/readyz', body: '{"status":"ready"}' }));
  assertMatchesOpenApi(reply({ path: '/openapi.json', body: JSON.stringify(openApiDocument) }));
});

test('problems as the server should make them match', () => {
  assertMatchesOpenApi(problemReply('invalid_cursor', { path: '/all?cursor=!' }));
  assertMatchesOpenApi(problemReply('missing_key', {}, { 'www-authenticate': 'Bearer' }));
  assertMatchesOpenApi(problemReply('not_found', { path: '/nowhere', method: 'PUT' }));
  assertMatchesOpenApi(problemReply('method_not_allowed', { path: '/batch' }, { allow: 'POST' }));
  assertMatchesOpenApi(problemReply('method_not_allowed', { method: 'DELETE' }, { allow: 'GET, HEAD' }));
  assertMatchesOpenApi(problemReply('snapshot_too_old', { path: '/readyz' }, { 'retry-after': '5' }));
  assertMatchesOpenApi(
    problemReply(
      'rate_limited',
      {},
      {
        'retry-after': '18',
        ratelimit: '"standard";r=0;t=18',
        'ratelimit-policy': '"standard";q=5000;w=86400',
      },
    ),
  );
});

function fails(wrong: Reply, message: RegExp): void {
  assert.throws(() => assertMatchesOpenApi(wrong), { name: 'AssertionError', message });
}

test('a wrong body fails, with the path, the status and what is wrong', () => {
  const page = OFFSET_PAGE;
  const [item] = page.vulnerabilities;
  const withItem = (changed: object) =>
    reply({ body: JSON.stringify({ ...page, vulnerabilities: [changed] }) });
  fails(withItem({ ...item, descripton: '' }), /^GET \/all -> 200: .*additional properties.*"descripton"/);
  fails(withItem({ ...item, cve: undefined }), /\/vulnerabilities\/0 must have required property 'cve'/);
  fails(withItem({ ...item, patch_priority: 4 }), /\/vulnerabilities\/0\/patch_priority must be <= 3/);
  fails(withItem({ ...item, created_at: '2026-04-21T10:02:11Z' }), /created_at must match pattern/);
  fails(withItem({ ...item, matched_range: null }), /"matched_range"/);
  fails(reply({ body: JSON.stringify({ ...page, ...CURSOR_PAGE }) }), /"pagination"/);
  fails(reply({ body: '{"vulnerabilities":[]' }), /^GET \/all -> 200: the body is not JSON/);
  fails(reply({ method: 'HEAD', body: '{}' }), /^HEAD \/all -> 200: there must be no body/);
  fails(reply({ status: 304, body: '{}' }), /there must be no body/);
});

test('a batch result that mixes two forms fails', () => {
  const [item] = BATCH;
  const mixed = reply({
    method: 'POST',
    path: '/batch',
    body: JSON.stringify([{ ...item, vulnerable: true }]),
  });
  fails(mixed, /^POST \/batch -> 200: .*"vulnerable"/);
});

test('a problem whose code belongs to another status, or that lacks its errors, fails', () => {
  const notFound = renderProblem(requestProblem('unknown_vulnerability', 'None.'), 'req-1');
  fails(problemReply('not_found', { path: '/nowhere', body: notFound }), /\/code must be equal to constant/);
  const bare = renderProblem(requestProblem('invalid_parameter', 'Wrong.'), 'req-1');
  fails(problemReply('invalid_parameter', { body: bare }), /must have required property 'errors'/);
});

test('an undocumented status fails, and so do a 404 on a known path and a success on an unknown one', () => {
  fails(reply({ status: 201 }), /^GET \/all -> 201: the status is not one of listVulnerabilities: 200, 304/);
  fails(problemReply('not_found', { path: '/all' }), /^GET \/all -> 404: the status is not one of/);
  fails(reply({ path: '/nowhere' }), /in no operation, so it must answer 404/);
  fails(reply({ path: '/batch' }), /\/batch has no GET, so it must answer 405/);
  fails(problemReply('method_not_allowed', {}, { allow: 'POST' }), /the status is not one of/);
});

test('a missing or malformed header fails, and so does the wrong content type', () => {
  const body = JSON.stringify(OFFSET_PAGE);
  fails(reply({ body, headers: { ...success, etag: undefined } }), /the header ETag is missing/);
  fails(
    reply({ body, headers: { ...success, 'cache-control': 'public' } }),
    /the header Cache-Control is "public"/,
  );
  fails(
    reply({ body, headers: { ...success, 'content-type': 'text/plain' } }),
    /content type must be application\/json/,
  );
  fails(problemReply('missing_key', {}), /the header WWW-Authenticate is missing/);
  fails(problemReply('no_snapshot', {}, { 'retry-after': '0' }), /the header Retry-After is "0"/);
  fails(problemReply('no_snapshot', {}, { 'retry-after': '1.5' }), /the header Retry-After is "1.5"/);
  fails(problemReply('method_not_allowed', { method: 'PUT' }), /the header Allow is missing/);
});

test('each route of the API is described, and each description has a route', () => {
  for (const dialect of [...DIALECTS, operationsDialect]) {
    const routes = dialect.routes.filter((route) => route.kind !== 'files' && route.kind !== 'rest');
    const described = Object.entries(dialect.openApi?.describe().paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const answered = routes.map(
      (route) => `${methodsOf(route) === 'POST' ? 'post' : 'get'} ${route.pattern}`,
    );
    assert.deepEqual(described.sort(), answered.sort(), dialect.name);
  }
});

test('the limits that descriptions name are those that apply', () => {
  const texts = new Map(
    Object.values(wholeDocument.paths).flatMap(({ get, post }) =>
      [get, post].flatMap((each) => (each === undefined ? [] : [[each.operationId, JSON.stringify(each)]])),
    ),
  );
  const { schemas } = wholeDocument.components;
  for (const [name, ...limits] of [
    ['npmAuditBulk', npm.MAX_BODY_BYTES, npm.MAX_NAMES, npm.MAX_VERSIONS, npm.MAX_OUTPUT_BYTES],
    ['npmAuditQuick', tree.MAX_NODES, tree.MAX_PATHS],
    ['osvQuery', osvBatch.MAX_BODY_BYTES, osv.MAX_RECORDS, osv.PAGE_BYTES],
    ['osvQueryBatch', osvBatch.MAX_QUERIES],
    ['osvGetRecord', osvRecords.MAX_ID_CHARS],
    ['findComposerAdvisories', composer.MAX_BODY_BYTES, composer.MAX_NAMES, composer.MAX_OUTPUT_BYTES],
    ['ossIndexComponentReport', MAX_COORDINATES, batch.MAX_BODY_BYTES],
  ] as const) {
    const text = texts.get(name) ?? assert.fail(`${name}: ${[...texts.keys()].join(' ')}`);
    for (const limit of limits) assert.match(text, new RegExp(`\\b${limit}\\b`), name);
  }
  for (const [name, keyword, limit] of [
    ['NpmReportAdvisory', 'maxItems', tree.MAX_PATHS],
    ['Statistics', 'maxItems', statistics.MAX_SOURCES],
    ['MostAffected', 'maxItems', statistics.MOST_AFFECTED],
    ['OssIndexCoordinates', 'maxItems', MAX_COORDINATES],
  ] as const)
    assert.match(JSON.stringify(schemas[name]), new RegExp(`"${keyword}":${limit}\\b`), name);
});

test('an operation with refusals of its own still tells those that its route has in any case', () => {
  for (const dialect of DIALECTS) {
    const { paths, components } = dialect.openApi?.describe() ?? assert.fail();
    for (const route of dialect.routes) {
      if (route.kind !== 'read' && route.kind !== 'long-read' && route.kind !== 'body') continue;
      const responses = paths[route.pattern][route.kind === 'body' ? 'post' : 'get']?.responses ?? {};
      const told = (status: string): readonly string[] | undefined => {
        const response = responses[status];
        if (response === undefined) return undefined; // it is added
        const name = '$ref' in response ? response.$ref.slice(response.$ref.lastIndexOf('/') + 1) : '';
        return ('$ref' in response ? components?.responses?.[name] : response)?.['x-codes'];
      };
      const invalid = told('422');
      const label = `${dialect.name} ${route.kind} ${route.pattern}`;
      assert.ok(invalid === undefined || invalid.includes('invalid_parameter'), `${label}: of \`snapshot\``);
      const unavailable = route.kind === 'read' ? undefined : told('503');
      assert.ok(unavailable === undefined || unavailable.includes('overloaded'), `${label}: of work`);
    }
  }
});
