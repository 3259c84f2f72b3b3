// The routes over both transports, with a view of the test's own. The document checks every answer; a real
// process is asked in test/e2e/operations.test.ts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { OperationsView, Order, OrderRefusal } from '../../../src/http/operations-view.ts';
import { corsPolicy } from '../../../src/http/replies/cors.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { openApiDocument } from '../../support/serving/openapi.ts';
import {
  keyRecord,
  outcomeOf,
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/serving/server.ts';

const OPERATOR = { PSKey: 'operator-key' };

/** What is shown has the form of the schema: nothing was measured. */
const NOTHING = { at: [], cpu: [] };

function view(refusal?: OrderRefusal) {
  const orders: Order[] = [];
  const columns = Object.keys(openApiDocument.components.schemas.OperationsSeries.properties as object);
  const series = { ...Object.fromEntries(columns.map((name) => [name, []])), ...NOTHING };
  const operations: OperationsView = {
    now: async () => undefined,
    history: async (since) =>
      since === 1 ? undefined : JSON.stringify({ now: since, seconds: series, minutes: series }),
    order: async (order) => {
      orders.push(order);
      return refusal;
    },
  };
  return { operations, orders };
}

async function scene(
  t: TestContext,
  operations?: OperationsView,
  data: TestServerOptions = { records: [feedRecord(1)] },
): Promise<TestServer> {
  return startServer(t, {
    ...data,
    tiers: { watcher: { endpoints: ['operations'], rate: null } },
    keys: [keyRecord('operator-key', 'operator'), keyRecord('watcher-key', 'watcher')],
    ...(operations === undefined ? {} : { operations }),
  });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function post(server: TestServer, kind: string, body: string, key = 'operator-key') {
  const headers = { ...JSON_TYPE, PSKey: key };
  return server.request(`/operations/${kind}`, { method: 'POST', headers, body });
}

test('the shipped tiers for clients reach neither, and a tier that may look may not act', async (t) => {
  const server = await scene(t, view().operations);
  assert.equal(outcomeOf(await server.request('/operations')), '403 forbidden_endpoint');
  assert.equal(outcomeOf(await server.request('/operations/history')), '403 forbidden_endpoint');
  assert.equal(outcomeOf(await post(server, 'reload', '', 'partner-key')), '403 forbidden_endpoint');
  const watcher = { headers: { PSKey: 'watcher-key' } };
  assert.equal(outcomeOf(await server.request('/operations/history', watcher)), '200');
  assert.equal(outcomeOf(await post(server, 'reload', '', 'watcher-key')), '403 forbidden_endpoint');
  assert.equal(outcomeOf(await server.request('/operations', { headers: { PSKey: '' } })), '401 missing_key');
});

test('history takes a second since 1970', async (t) => {
  const server = await scene(t, view().operations);
  const ask = async (query: string): Promise<string> => {
    const response = await server.request(`/operations/history${query}`, { headers: OPERATOR });
    return response.status === 200 ? String(response.json().now) : outcomeOf(response);
  };
  assert.equal(await ask(''), '0');
  assert.equal(await ask('?since=1767225600'), '1767225600');
  assert.equal(await ask('?since=1'), '503 preparing');
  for (const query of ['?since=soon', '?since=', '?since=-5', '?since=1&since=2'])
    assert.equal(await ask(query), '422 invalid_parameter since', query);
});

test('an order is passed on with what it names', async (t) => {
  const { operations, orders } = view();
  const server = await scene(t, operations);
  const back = await post(server, 'roll-back', '{"file":"a.vdx","more":1}');
  assert.deepEqual([back.status, back.json()], [202, { ordered: 'roll-back' }]);
  assert.equal((await post(server, 'reload', '')).status, 202);
  assert.equal((await post(server, 'roll-forward', '{}')).status, 202);
  const each: Order[] = [{ kind: 'roll-back', file: 'a.vdx' }, { kind: 'reload' }, { kind: 'roll-forward' }];
  for (const order of each) assert.ok(orders.some((seen) => JSON.stringify(seen) === JSON.stringify(order)));
});

test('neither needs what an operator is asking about: data, an open port, a snapshot that is held', async (t) => {
  for (const trouble of [{}, { records: [feedRecord(1)], isClosing: () => true }]) {
    const { operations, orders } = view();
    const server = await scene(t, operations, trouble);
    const unknown = '?snapshot=0000000000000000';
    const history = await server.request(`/operations/history${unknown}`, { headers: OPERATOR });
    assert.equal(outcomeOf(history), '200');
    assert.equal(outcomeOf(await post(server, `reload${unknown}`, '')), '202');
    assert.equal(orders[0]?.kind, 'reload');
  }
});

test('an order that a page of another site could send is refused, whatever key the browser adds', async (t) => {
  const { operations, orders } = view();
  const cors = corsPolicy(['https://shop.example']);
  const server = await scene(t, operations, { records: [feedRecord(1)], cors });
  const Authorization = `Basic ${Buffer.from(':operator-key').toString('base64')}`;
  const send = async (headers: Readonly<Record<string, string>>): Promise<string> =>
    outcomeOf(
      await server.request('/operations/reload', { method: 'POST', headers: { Authorization, ...headers } }),
    );
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
    assert.equal(await send({ 'Content-Type': type }), '415 wrong_content_type', type);
  for (const headers of [JSON_TYPE, { 'X-Vulndex-Console': '1' }])
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1'])
      assert.equal(await send({ ...headers, Origin: origin }), '403 foreign_origin', origin);
  assert.deepEqual(orders, []);
  assert.equal(await send({ ...JSON_TYPE, Origin: 'https://shop.example' }), '202', 'it has CORS');
  assert.equal(await send({ 'Content-Type': 'text/plain', 'X-Vulndex-Console': '1' }), '202');
});

test('a body that names no file is refused and nothing is ordered', async (t) => {
  const { operations, orders } = view();
  const server = await scene(t, operations);
  for (const [body, outcome] of [
    ['{', '400 invalid_body'],
    ['"a.vdx"', '422 invalid_parameter body'],
    ['', '422 invalid_parameter file'],
    ['{"file":""}', '422 invalid_parameter file'],
    ['{"file":["a"]}', '422 invalid_parameter file'],
    ['{"file":"../a.vdx"}', '422 invalid_parameter file'],
    ['{"file":"a\\u0000.vdx"}', '422 invalid_parameter file'],
    [`{"file":"${'a'.repeat(256)}"}`, '422 invalid_parameter file'],
    [' '.repeat(3_000), '413 body_too_large'],
  ] as const)
    assert.equal(outcomeOf(await post(server, 'roll-back', body)), outcome, body.slice(0, 30));
  assert.deepEqual(orders, []);
});

test('each refusal of an order has its status, and says when to try again if that helps', async (t) => {
  for (const [kind, code, status] of [
    ['roll-back', 'unknown_file', 404],
    ['roll-back', 'already_live', 409],
    ['roll-forward', 'not_rolled_back', 409],
    ['reload', 'too_many_orders', 429],
    ['reload', 'preparing', 503],
  ] as const) {
    const server = await scene(t, view({ code, detail: 'because' }).operations);
    const response = await post(server, kind, '{"file":"a.vdx"}');
    assert.equal(outcomeOf(response), `${status} ${code}`);
    assert.equal(response.headers.get('retry-after'), status === 429 || status === 503 ? '1' : null);
  }
});

test('without anyone who keeps account there is nothing yet', async (t) => {
  const server = await scene(t);
  for (const path of ['/operations', '/operations/history'])
    assert.equal(outcomeOf(await server.request(path, { headers: OPERATOR })), '503 preparing');
  assert.equal(outcomeOf(await post(server, 'reload', '')), '503 preparing');
});

test('docs/health.md names the endpoints and every path', () => {
  const page = readFileSync(new URL('../../../docs/health.md', import.meta.url), 'utf8');
  for (const path of Object.keys(openApiDocument.paths).filter((each) => each.startsWith('/operations')))
    assert.ok(page.includes(path), path);
});
